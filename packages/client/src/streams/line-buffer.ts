import { ResiduaError } from "../residua-error.ts";

const lineFeed = 10;
const carriageReturn = 13;
/** Lines are decoded whole, so the decoder has no state and one serves every stream. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Turns bytes into text that is made of whole lines. A byte below 128 is never part of a longer UTF-8 sequence, so bytes
 * that end in LF or CR can be decoded on their own, however the network cut them.
 */
export class LineBuffer {
  readonly #longest: number;
  #held = new Uint8Array(0);
  #count = 0;
  #atStart = true;

  /** `longest`: bytes that an unfinished line may have. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The lines that these bytes complete, each with its ending; "" when none. Throws `event_too_long`. */
  push(bytes: Uint8Array): string {
    const end = afterLastLine(bytes);
    let text = "";
    if (end > 0) {
      const complete = end === bytes.length ? bytes : bytes.subarray(0, end);
      text = this.#count === 0 ? this.#decode(complete) : this.#flush(complete);
    }
    if (end < bytes.length) {
      this.#hold(bytes.subarray(end));
      if (this.#count > this.#longest) throw tooLong(this.#longest);
    }
    return text;
  }

  /** What is left of a body that does not end with a line's end. */
  end(): string {
    return this.#flush(new Uint8Array(0));
  }

  #flush(more: Uint8Array): string {
    this.#hold(more);
    const text = this.#decode(this.#held.subarray(0, this.#count));
    this.#held = new Uint8Array(0);
    this.#count = 0;
    return text;
  }

  /** Space doubles, so that a line which comes byte by byte costs no more than one that comes at once. */
  #hold(bytes: Uint8Array): void {
    const count = this.#count + bytes.length;
    if (count > this.#held.length) {
      const larger = new Uint8Array(Math.max(count, 2 * this.#held.length));
      larger.set(this.#held.subarray(0, this.#count));
      this.#held = larger;
    }
    this.#held.set(bytes, this.#count);
    this.#count = count;
  }

  #decode(bytes: Uint8Array): string {
    const text = decoder.decode(bytes);
    if (!this.#atStart) return text;
    this.#atStart = text === "";
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
}

export function tooLong(longest: number): ResiduaError {
  return new ResiduaError(
    "event_too_long",
    `an event of the stream is longer than ${longest} bytes; set longestEvent to take longer ones`,
    { longestEvent: longest },
  );
}

/** Where the last whole line ends; 0 when none does. */
function afterLastLine(bytes: Uint8Array): number {
  const last = bytes[bytes.length - 1];
  if (last === lineFeed || last === carriageReturn) return bytes.length;
  const feed = bytes.lastIndexOf(lineFeed) + 1;
  return feed + bytes.subarray(feed).lastIndexOf(carriageReturn) + 1;
}
