/** One turn of a conversation. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string;
  /** What else the chat template reads, as JSON: `name`, `reasoning_content`, `tool_calls`, … */
  readonly [field: string]: unknown;
}
