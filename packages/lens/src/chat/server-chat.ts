import { APIError, type Client, ResiduaError } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { checkLensOptions } from "../requests/check-options.ts";
import type { EncodedText } from "./chat-encoder.ts";
import { ChatError } from "./chat-error.ts";
import type { ChatMessage } from "./chat-message.ts";
import { checkEncodeChat, type EncodeChatRequest } from "./encode-chat-request.ts";
import { encodeChatWith } from "./encode-chat-with.ts";
import type { EncodedChat } from "./encoded-chat.ts";
import { spelledTexts } from "./token-bytes.ts";

/** The tokens of a conversation as the server's template writes them, and whose they are. */
export async function encodeServerChat(
  { client, tokens }: Pick<LensCore, "client" | "tokens">,
  request: EncodeChatRequest,
  options: LensOptions = {},
): Promise<EncodedChat> {
  checkEncodeChat(request);
  checkLensOptions(options);
  if (!("tokenize" in client)) {
    throw new ResiduaError(
      "not_available",
      `encodeChat: a server of profile ${client.profile} shows no chat template; use a vLLM server, or a local folder of the model (openLocal)`,
    );
  }
  const server = client as unknown as Client<"vllm">;
  const model = await client.describe(request.model);
  const { chat_template_kwargs } = request;
  /** Ids by the text that they spell. */
  const written = new Map<string, readonly number[]>();

  async function ask(body: Parameters<Client<"vllm">["tokenize"]>[0]): Promise<EncodedText> {
    const answer = await server.tokenize({ ...body, model: model.id, return_token_strs: true }, options);
    const names = answer.token_strs;
    if (names?.length === answer.tokens.length) return { ids: answer.tokens, names };
    throw new ChatError(
      "tokens_unspelt",
      "the server does not say how it spells the conversation's tokens (token_strs)",
    );
  }
  const encode = (prompt: string): Promise<EncodedText> => ask({ prompt, add_special_tokens: false });

  async function render(
    messages: readonly ChatMessage[],
    { add_generation_prompt }: { add_generation_prompt: boolean },
  ): Promise<string> {
    const { ids, names } = await ask({
      messages: messages.map((message) => ({ ...message })),
      add_generation_prompt,
      ...(chat_template_kwargs && { chat_template_kwargs: { ...chat_template_kwargs } }),
    }).catch((error: unknown) => {
      if (!(error instanceof APIError) || error.status !== 400) throw error;
      throw new ChatError(
        "template_refused",
        `the server's chat template refuses it: ${error.message}`,
        {},
        { cause: error },
      );
    });
    const contents = messages.map(({ content }) => content.trim());
    const texts = spelledTexts(names);
    const text = texts.find((one) => contents.every((content) => one.includes(content))) ?? texts[0];
    if (text === undefined) throw new ChatError("tokens_unspelt", "the conversation's tokens spell no text");
    written.set(text, ids);
    return text;
  }

  const encoded = await encodeChatWith(
    {
      render,
      async encode(text) {
        const again = await encode(text);
        const own = written.get(text);
        if (own?.every((id, i) => id === again.ids[i]) && own.length === again.ids.length) return again;
        throw new ChatError(
          "tokens_unspelt",
          "the server's tokens of the conversation are not those of the text that they spell",
        );
      },
      bos: await tokens.bos(model),
    },
    request,
  );
  return { ...encoded, template: { source: "server", sha256: null } };
}
