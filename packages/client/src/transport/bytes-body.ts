import { tooLarge } from "./json-body.ts";
import type { BodySink } from "./transport.ts";

/** Collects a body as it is. Holds no more than it may. */
export class BytesBody implements BodySink {
  readonly #limit: number;
  #bytes: Uint8Array;
  #total = 0;

  /** The most bytes that may come, decompressed; and how many were announced, which saves copies when it is true. */
  constructor(limit: number, announced: number) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(announced > 0 && announced <= limit ? announced : 0);
  }

  write(chunk: Uint8Array): boolean {
    const total = this.#total + chunk.length;
    if (total > this.#limit) throw tooLarge(this.#limit);
    if (total > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#limit, Math.max(total, 2 * this.#bytes.length)));
      grown.set(this.#bytes.subarray(0, this.#total));
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, this.#total);
    this.#total = total;
    return true;
  }

  end(): Uint8Array {
    return this.#total === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#total);
  }
}
