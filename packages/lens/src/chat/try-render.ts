import type { ChatEncoder } from "./chat-encoder.ts";
import { ChatError } from "./chat-error.ts";
import type { ChatMessage } from "./chat-message.ts";

/** The text of a conversation; undefined where the template refuses it. */
export async function tryRender(
  { render }: Pick<ChatEncoder, "render">,
  messages: readonly ChatMessage[],
  options = { add_generation_prompt: false },
): Promise<string | undefined> {
  try {
    return await render(messages, options);
  } catch (error) {
    if (error instanceof ChatError && error.code === "template_refused") return undefined;
    throw error;
  }
}
