import { type ChatMessage, type EncodedChat, ResiduaError } from "@residua/lens";
import type { CollectLens } from "./collect-lens.ts";
import type { CollectSettings } from "./collect-options.ts";

/** The tokens of a conversation. Throws `not_available` where the lens makes none. */
export function encodeExample(
  lens: Pick<CollectLens, "encodeChat">,
  messages: readonly ChatMessage[],
  {
    model,
    settings: { chat, signal },
  }: { model: string; settings: Pick<CollectSettings, "chat" | "signal"> },
): Promise<EncodedChat> {
  if (lens.encodeChat === undefined) {
    throw new ResiduaError(
      "not_available",
      "this lens makes no tokens of conversations (it has no encodeChat); give prompt: a text or token ids",
    );
  }
  const { add_generation_prompt, chat_template_kwargs } = chat;
  const request = {
    model,
    messages,
    ...(add_generation_prompt !== undefined && { add_generation_prompt }),
    ...(chat_template_kwargs && { chat_template_kwargs }),
  };
  return lens.encodeChat(request, signal ? { signal } : {});
}
