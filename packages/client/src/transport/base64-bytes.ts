import { platform } from "#platform";

/** The value of each character of the standard alphabet, 255 for any other. */
const values = new Uint8Array(256).fill(255);
for (const [value, character] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries()) {
  values[character.charCodeAt(0)] = value;
}

const padding = "=".charCodeAt(0);
const backslash = "\\".charCodeAt(0);
const slash = "/".charCodeAt(0);
const blockSize = 2 ** 20;

/** Fewer characters than these are not worth a text of their own. */
const worthwhile = 2 ** 8;
/** Characters that become one text at a time: short-lived texts of this size cost nothing. */
const stepSize = 2 ** 16;

/**
 * Base64 that comes in pieces → bytes, without ever holding its text. Only the standard alphabet with padding counts; JSON
 * may write a slash as `\/`. Throws SyntaxError.
 */
export class Base64Bytes {
  readonly #full: Uint8Array[] = [];
  #block: Uint8Array<ArrayBuffer>;
  #used = 0;
  #bits = 0;
  #characters = 0;
  #padded = 0;
  #escaped = false;

  /** `expected`: about how many bytes will come, where that is known; it saves copies when it is enough. */
  constructor(expected = 0) {
    this.#block = new Uint8Array(Math.max(blockSize, expected));
  }

  write(text: Uint8Array): void {
    let i = 0;
    while (i < text.length) {
      if (!this.#escaped && this.#padded === 0 && (this.#characters & 3) === 0) i = this.#writeQuads(text, i);
      if (i < text.length) this.#writeOne(text[i++] ?? 0);
    }
  }

  /** All bytes in one array. */
  end(): Uint8Array<ArrayBuffer> {
    if (this.#escaped || (this.#characters & 3) !== 0) throw new SyntaxError("base64 that ends too early");
    const last = this.#block.subarray(0, this.#used);
    // What was never written to takes no memory, so a little of it is no waste.
    if (this.#full.length === 0 && this.#block.length - this.#used <= this.#used / 8) return last;
    const whole = new Uint8Array(this.#full.reduce((sum, { length }) => sum + length, this.#used));
    let at = 0;
    for (const block of [...this.#full, last]) {
      whole.set(block, at);
      at += block.length;
    }
    return whole;
  }

  /** Whole groups of four, as long as nothing special is among them. Returns where it stopped. */
  #writeQuads(text: Uint8Array, from: number): number {
    const block = this.#block;
    const end = Math.min(text.length, from + Math.floor((block.length - this.#used) / 3) * 4);
    let i = this.#writeFast(text, from, from + ((end - from) & ~3));
    const fast = i;
    let used = this.#used;
    for (; i + 4 <= end; i += 4) {
      const a = values[text[i] ?? 0] ?? 255;
      const b = values[text[i + 1] ?? 0] ?? 255;
      const c = values[text[i + 2] ?? 0] ?? 255;
      const d = values[text[i + 3] ?? 0] ?? 255;
      if ((a | b | c | d) > 63) break;
      const bits = (a << 18) | (b << 12) | (c << 6) | d;
      block[used++] = bits >> 16;
      block[used++] = bits >> 8;
      block[used++] = bits;
    }
    this.#used = used;
    this.#characters += i - fast;
    return i;
  }

  /** Whole groups of four by the platform, up to the first step that holds anything special. Returns where it stopped. */
  #writeFast(text: Uint8Array, from: number, to: number): number {
    if (platform.decodeBase64 === undefined || to - from < worthwhile) return from;
    let i = from;
    while (i < to) {
      const end = Math.min(to, i + stepSize);
      const wanted = ((end - i) / 4) * 3;
      const room = this.#block.subarray(this.#used, this.#used + wanted);
      if (!platform.decodeBase64(text.subarray(i, end), room)) break;
      this.#used += wanted;
      this.#characters += end - i;
      i = end;
    }
    return i;
  }

  #writeOne(code: number): void {
    if (this.#escaped) {
      if (code !== slash) throw new SyntaxError("an escape that base64 has no use for");
      this.#escaped = false;
    } else if (code === backslash) {
      this.#escaped = true;
      return;
    }
    const place = this.#characters & 3;
    if (code === padding && (place === 3 || (place === 2 && this.#padded === 0))) {
      this.#padded++;
      // Two characters hold one byte, three hold two.
      if (this.#padded === 1) {
        this.#put(this.#bits >> (place === 2 ? 4 : 10));
        if (place === 3) this.#put(this.#bits >> 2);
      }
      this.#characters++;
      return;
    }
    const value = values[code] ?? 255;
    if (value > 63 || this.#padded > 0) throw new SyntaxError("a character that base64 does not have");
    this.#bits = place === 0 ? value : (this.#bits << 6) | value;
    this.#characters++;
    if (place === 3) {
      this.#put(this.#bits >> 16);
      this.#put(this.#bits >> 8);
      this.#put(this.#bits);
    }
  }

  #put(byte: number): void {
    if (this.#used === this.#block.length) {
      this.#full.push(this.#block);
      this.#block = new Uint8Array(blockSize);
      this.#used = 0;
    }
    this.#block[this.#used++] = byte;
  }
}
