/** A stretch of tokens of one message. A token that holds any of the content belongs to it, else to the part that it ends in. */
export interface ChatSpan {
  /** Index in the messages; their number for the header of the answer that `add_generation_prompt` asks for. */
  readonly message: number;
  readonly role: string;
  /** What the template writes before the content, the content, and what it writes after it. */
  readonly part: "header" | "content" | "end";
  /** Positions in `tokenIds`; `end` is not included. */
  readonly start: number;
  readonly end: number;
}

/** Which chat template wrote it. */
export interface ChatTemplateFacts {
  readonly source: "server" | "folder";
  /** Of the template's text; null where the server does not show it. */
  readonly sha256: string | null;
}

/** A conversation as the model reads it. */
export interface EncodedChat {
  /** BOS included where the template writes one. Send these, and no text: nothing is added to ids. */
  readonly tokenIds: number[];
  /** Ascending. What the template writes before the first message (a BOS, a system text of its own) is in none. */
  readonly spans: ChatSpan[];
  /** What the template wrote. */
  readonly text: string | null;
  readonly template: ChatTemplateFacts;
}
