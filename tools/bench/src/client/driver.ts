/** What a client does in the contests, in its own manner. */
export interface Driver {
  /** One small request; resolves to the text of its choice. */
  complete(): Promise<string>;
  /** One stream; `onText` gets the text of each chunk, and what it returns is waited for. */
  stream(onText: (text: string) => void | Promise<void>): Promise<void>;
  /** `count` requests, 16 of them at a time; resolves to how many gave a text. */
  sampleMany(count: number): Promise<number>;
  close(): Promise<void>;
}

export const request = {
  model: "llama-8b",
  prompt: "The sky is",
  max_tokens: 16,
  temperature: 1,
  seed: 7,
} as const;

/** How many requests the server of `sampleMany` runs at a time. */
export const cap = 16;
