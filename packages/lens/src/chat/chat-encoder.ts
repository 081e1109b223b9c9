import type { ChatMessage } from "./chat-message.ts";

/** The tokens of a text, and how the vocabulary spells each. */
export interface EncodedText {
  readonly ids: readonly number[];
  readonly names: readonly string[];
}

/** A chat template and the tokenizer that belongs to it. */
export interface ChatEncoder {
  /** The text of a conversation. Throws ChatError `template_refused` where the template has none. */
  render(
    messages: readonly ChatMessage[],
    options: { add_generation_prompt: boolean },
  ): string | Promise<string>;
  /** The tokens of a text that `render` gave, with none added. */
  encode(text: string): EncodedText | Promise<EncodedText>;
  /** The model's BOS token; null where it has none, undefined where that is not known. */
  readonly bos: number | null | undefined;
}
