import type { ChunkSource } from "./chunk-source.ts";
import { type CompletionChunk, readChunk, type Refuse } from "./completion-chunk.ts";
import { LineBuffer } from "./line-buffer.ts";

/**
 * The chunks of a stream of newline-delimited JSON, as `toReadableStream` makes it. It has no `[DONE]`: it is whole when its
 * last line is, and every choice that came has its finish_reason.
 */
export class LineChunks implements ChunkSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #lines: LineBuffer;
  readonly #refuse: Refuse;
  readonly #unfinished = new Set<number>();
  #waiting: string[] = [];
  #next = 0;
  #torn = false;
  #ended = false;

  constructor(readable: ReadableStream<Uint8Array>, longestEvent: number, refuse: Refuse) {
    this.#refuse = refuse;
    this.#reader = readable.getReader();
    this.#lines = new LineBuffer(longestEvent);
  }

  get finished(): boolean {
    return this.#ended && !this.#torn && this.#unfinished.size === 0;
  }

  take(): CompletionChunk | undefined {
    while (this.#next < this.#waiting.length) {
      const line = this.#waiting[this.#next++]!;
      if (line.trim() === "") continue;
      const body = parseJSON(line);
      this.#torn = body === undefined && this.#ended && this.#next === this.#waiting.length;
      if (this.#torn) break;
      if (typeof body !== "object" || body === null || Array.isArray(body)) {
        throw this.#refuse("unexpected_response", `a line of the stream is no chunk: ${line.slice(0, 200)}`);
      }
      const chunk = readChunk(body, undefined, this.#refuse);
      for (const { index, finish_reason } of chunk.choices) {
        if (typeof finish_reason === "string") this.#unfinished.delete(index);
        else this.#unfinished.add(index);
      }
      return chunk;
    }
    this.#waiting = [];
    this.#next = 0;
    return undefined;
  }

  async fill(): Promise<boolean> {
    while (!this.#ended && this.#waiting.length === 0) {
      const { done, value } = await this.#reader.read();
      this.#ended = done;
      const text = done ? this.#lines.end() : this.#lines.push(value);
      if (text !== "") this.#waiting = text.split("\n");
    }
    return this.#waiting.length > 0;
  }

  close(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#reader.cancel().catch(() => undefined);
  }
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
