import type { CompletionChunk } from "./completion-chunk.ts";

/** Where a stream's chunks come from. Reading is in two steps, so that chunks which came together cost no wait each. */
export interface ChunkSource {
  /** The next chunk that has come; undefined when more must be read first. Throws what a bad event means. */
  take(): CompletionChunk | undefined;
  /** Reads on. False when nothing more comes. Throws what ended the reading. Never called twice at once. */
  fill(): Promise<boolean>;
  /** After `fill` gave false: whether the stream said that it is whole. */
  readonly finished: boolean;
  /** Ends the reading, also one that is under way, and frees the connection. */
  close(): void;
}
