import { checkOptionArguments } from "../arguments/check-arguments.ts";
import { anyText, fields, flag, isRecord, kind, listOf, optional, text } from "../arguments/kinds.ts";
import type { ChatMessage } from "./chat-message.ts";

/** A conversation for the model's chat template. */
export interface EncodeChatRequest {
  messages: readonly ChatMessage[];
  /** Whether the header of an answer follows. Default: unless the last message is an answer (role `assistant`). */
  add_generation_prompt?: boolean;
  /** Default: the only model of the server's catalogue. */
  model?: string;
  /** What else the template reads, such as `{ enable_thinking: false }`. */
  chat_template_kwargs?: Readonly<Record<string, unknown>>;
}

const conversation = {
  allowed: "a list of messages, each { role, content }, at least one",
  fault(value: unknown, field: string) {
    const empty = { field, given: "no message", allowed: conversation.allowed };
    return (
      listOf(fields({ role: text, content: anyText, name: optional(text) })).fault(value, field) ??
      ((value as unknown[]).length === 0 ? empty : undefined)
    );
  },
};
const requestKind = fields({
  model: optional(text),
  messages: conversation,
  add_generation_prompt: optional(flag),
  chat_template_kwargs: optional(kind("an object", isRecord)),
});

/** Refuses what is no conversation. Throws `invalid_option`. */
export function checkEncodeChat(request: EncodeChatRequest): void {
  checkOptionArguments("encodeChat", { request: [request, requestKind] });
}
