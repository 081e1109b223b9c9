import type { ChunkSource } from "./chunk-source.ts";
import type { CompletionChunk } from "./completion-chunk.ts";

/** Two sources of the chunks of one. What the slower half has not taken yet is kept; the source ends with both halves. */
export function teeChunks(source: ChunkSource): [ChunkSource, ChunkSource] {
  const halves = [new Half(() => read()), new Half(() => read())] as const;
  let reading: Promise<boolean> | undefined;
  for (const half of halves) half.onClose = () => halves.every(({ closed }) => closed) && source.close();

  /** Both halves may ask at once; the source is asked once. */
  function read(): Promise<boolean> {
    reading ??= fill().finally(() => (reading = undefined));
    return reading;
  }

  async function fill(): Promise<boolean> {
    try {
      const more = await source.fill();
      for (let chunk = source.take(); chunk !== undefined; chunk = source.take()) {
        for (const half of halves) half.put(chunk);
      }
      if (!more) for (const half of halves) half.end(source.finished);
      return more;
    } catch (fault) {
      for (const half of halves) half.fail(fault);
      return false;
    }
  }

  return [...halves];
}

class Half implements ChunkSource {
  readonly #read: () => Promise<boolean>;
  #waiting: CompletionChunk[] = [];
  #next = 0;
  #ended: "no" | "ended" | "finished" = "no";
  #fault: { error: unknown } | undefined;
  closed = false;
  onClose: () => void = () => undefined;

  constructor(read: () => Promise<boolean>) {
    this.#read = read;
  }

  get finished(): boolean {
    return this.#ended === "finished";
  }

  put(chunk: CompletionChunk): void {
    if (!this.closed) this.#waiting.push(chunk);
  }

  end(finished: boolean): void {
    this.#ended = finished ? "finished" : "ended";
  }

  fail(error: unknown): void {
    this.#fault = { error };
  }

  take(): CompletionChunk | undefined {
    if (this.#next === this.#waiting.length || this.#next === 1024) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    return this.#next < this.#waiting.length ? this.#waiting[this.#next++] : undefined;
  }

  async fill(): Promise<boolean> {
    while (!this.closed && this.#waiting.length === 0) {
      if (this.#fault !== undefined) throw this.#fault.error;
      if (this.#ended !== "no") return false;
      await this.#read();
    }
    return this.#waiting.length > 0;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#waiting = [];
    this.#next = 0;
    this.onClose();
  }
}
