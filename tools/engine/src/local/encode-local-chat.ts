import { createHash } from "node:crypto";
import { ResiduaError } from "@residua/client";
import {
  ChatError,
  type EncodeChatRequest,
  encodeChatWith,
  type EncodedChat,
  type LensOptions,
} from "@residua/lens";
import { checkOptions, signalRule } from "../check-options.ts";
import { EngineRequestError } from "../engine-error.ts";
import type { Model } from "../model.ts";
import { renderChat } from "../render-chat.ts";
import { takeTurn } from "./turn.ts";

/**
 * The tokens of a conversation as the chat template of the model's folder writes them, and whose they are; `id` is the model's. Throws
 * `not_available` where the folder has no template, `model_not_found`, `invalid_option` and ChatError.
 */
export async function encodeLocalChat(
  { config, tokenizer, chatTemplate }: Model,
  id: string,
  request: EncodeChatRequest,
  options: LensOptions = {},
): Promise<EncodedChat> {
  const { signal } = checkOptions(options, { signal: signalRule });
  if (chatTemplate === null) {
    throw new ResiduaError(
      "not_available",
      "encodeChat: the model's folder has no chat template (chat_template.jinja, or chat_template of tokenizer_config.json); a base model reads texts",
      { ability: "encodeChat" },
    );
  }
  await takeTurn(signal);
  const { model = id, chat_template_kwargs: more } = Object(request) as Partial<EncodeChatRequest>;
  if (model !== id)
    throw new ResiduaError("model_not_found", `model: ${JSON.stringify(model)} given; this lens has ${id}`);
  const encoded = await encodeChatWith(
    {
      render: (messages, options) =>
        rendered(() => renderChat(chatTemplate, { ...more, messages, ...options })),
      encode(text) {
        const ids = tokenizer.encode(text, { addSpecialTokens: false });
        return { ids, names: tokenizer.spell(ids) };
      },
      bos: config.bosTokenId,
    },
    request,
  );
  const sha256 = createHash("sha256").update(chatTemplate.template).digest("hex");
  return { ...encoded, template: { source: "folder", sha256 } };
}

function rendered(render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof EngineRequestError)) throw error;
    throw new ChatError("template_refused", error.message, {}, { cause: error });
  }
}
