import { Base64Bytes } from "./base64-bytes.ts";
import { bytes as json, isBlank } from "./json-bytes.ts";
import { OpenContainer } from "./open-container.ts";
import { longestText, TransportFault } from "./transport-fault.ts";

const deepest = 1000;

/** Tensors are under these; their `data` is base64. */
const tensorHolders = new Set(["activations", "hook_results"]);

/**
 * Parses JSON that is too large for one text as it arrives: pieces of a few MiB go through JSON.parse, and a long base64
 * `data` under `activations` or `hook_results` becomes a Uint8Array without ever being a text. Otherwise the result is
 * that of JSON.parse. Throws SyntaxError, and TransportFault `response_too_large` for a single text over V8's limit.
 */
export class LargeJSON {
  readonly #pieceSize: number;
  readonly #liftFrom: number;
  readonly #announced: number;
  /** Bytes gone through, those in the buffer included. */
  #received = 0;
  /** The first `#depth` are in use; `#top` is the last of these. */
  readonly #frames: OpenContainer[] = [];
  #depth = 0;
  #top: OpenContainer | undefined;
  readonly #decoder = new TextDecoder();
  #buffer: Uint8Array;
  #length = 0;
  #scanned = 0;
  #root: unknown;
  #closed = false;
  /** Offset of the quote that opened the string on the way, or −1. */
  #string = -1;
  #escaped = false;
  #lifted: Base64Bytes | undefined;
  #plain = false;

  /** Pieces of so many bytes; `data` of at least `liftFrom` characters is lifted; `announced`: how many will come in all. */
  constructor({ pieceSize = 2 ** 22, liftFrom = 2 ** 16, announced = 0 } = {}) {
    this.#pieceSize = pieceSize;
    this.#liftFrom = liftFrom;
    this.#announced = announced;
    this.#buffer = new Uint8Array(2 * pieceSize);
  }

  write(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#lifted !== undefined) {
        const end = rest.indexOf(json.quote);
        this.#lifted.write(end < 0 ? rest : rest.subarray(0, end));
        this.#received += end < 0 ? rest.length : end + 1;
        if (end < 0) return;
        this.#putLifted(this.#lifted.end());
        rest = rest.subarray(end + 1);
        continue;
      }
      // A slice at a time, so that one large write does not grow the buffer.
      const slice = rest.subarray(0, this.#pieceSize);
      this.#append(slice);
      this.#received += slice.length;
      const left = this.#scan();
      rest = rest.subarray(slice.length - left);
      this.#received -= left;
      if (this.#length > this.#pieceSize) this.#flush();
    }
  }

  /** The value. Throws SyntaxError when the text is not whole. */
  end(): unknown {
    if (!this.#closed) throw new SyntaxError("the JSON ends too early");
    this.#expectBlank(0, this.#length);
    return this.#root;
  }

  /** Whether what came so far is the beginning of something longer. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > longestText) {
      throw new TransportFault("response_too_large", `one text of the answer is over ${longestText} bytes`, {
        reused: false,
        answered: true,
      });
    }
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(longestText, Math.max(needed, 2 * this.#buffer.length)));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Reads what is new. Returns how many of the last bytes were left unread because a lifted string began before them. */
  #scan(): number {
    const buffer = this.#buffer;
    let i = this.#scanned;
    while (i < this.#length) {
      if (this.#string >= 0) {
        // A string that may be lifted is not gone through to its end first.
        const lift = this.#string + 1 + this.#liftFrom;
        const until = this.#plain || i > lift ? this.#length : Math.min(this.#length, lift);
        i = this.#scanString(i, until);
        const ended = i < until;
        if (this.#mayLift(i)) return this.#lift(i);
        if (i === lift) this.#plain = true;
        if (ended) {
          this.#string = -1;
          i++;
        }
        continue;
      }
      const code = buffer[i];
      if (code === json.quote) {
        this.#string = i;
        this.#plain = false;
      } else if (code === json.comma) this.#next(i);
      else if (code === json.colon) {
        const top = this.#top;
        if (top) top.colon = true;
      } else if (code === json.openBrace || code === json.openBracket) this.#open(i, code === json.openBrace);
      else if (code === json.closeBrace || code === json.closeBracket) {
        i = this.#close(i, code === json.closeBrace);
      }
      i++;
    }
    this.#scanned = i;
    return 0;
  }

  /** Offset of the string's closing quote, or the end. */
  #scanString(from: number, end: number): number {
    const buffer = this.#buffer;
    for (let i = from; i < end; i++) {
      const code = buffer[i];
      if (this.#escaped) this.#escaped = false;
      else if (code === json.backslash) this.#escaped = true;
      else if (code === json.quote) return i;
    }
    return end;
  }

  #open(at: number, isObject: boolean): void {
    const parent = this.#top;
    if (this.#depth >= deepest) throw new SyntaxError(`JSON nested deeper than ${deepest}`);
    const frame = (this.#frames[this.#depth++] ??= new OpenContainer()).reset(at, isObject);
    this.#top = frame;
    if (parent === undefined) {
      if (this.#closed) throw new SyntaxError("something follows the JSON value");
      this.#expectBlank(0, at);
      frame.value = isObject ? {} : [];
    } else if (parent.filled) throw new SyntaxError("a comma is missing");
  }

  #next(at: number): void {
    const top = this.#top;
    if (top === undefined) throw new SyntaxError("a comma outside of a list");
    if (top.filled) {
      this.#expectBlank(top.start, at);
      top.start = at + 1;
      top.filled = false;
    }
    top.boundary = at + 1;
    top.colon = false;
  }

  /** Returns the offset to go on after. */
  #close(at: number, isObject: boolean): number {
    const frame = this.#top;
    if (frame?.isObject !== isObject) throw new SyntaxError("brackets do not match");
    this.#depth--;
    this.#top = this.#frames[this.#depth - 1];
    if (frame.value === undefined) return at;
    if (frame.filled) this.#expectBlank(frame.start, at);
    else if (!frame.empty || !isBlank(this.#buffer, frame.start, at)) this.#parse(frame, at);
    const { value } = frame;
    frame.value = undefined;
    this.#drop(at + 1);
    if (this.#top === undefined) {
      this.#root = value;
      this.#closed = true;
    } else this.#put(this.#top, value);
    return -1;
  }

  /** Parses every element that is whole and lets its text go. */
  #flush(): void {
    for (const [depth, frame] of this.#frames.slice(0, this.#depth).entries()) {
      if (frame.value === undefined) frame.value = frame.isObject ? {} : [];
      if (frame.filled) continue;
      if (frame.boundary > frame.start) this.#parse(frame, frame.boundary - 1);
      const child = depth + 1 < this.#depth ? this.#frames[depth + 1] : undefined;
      if (child !== undefined && child.value === undefined) this.#readKey(frame, child.opened);
    }
    const top = this.#top;
    if (top !== undefined) return this.#drop(top.start);
    this.#expectBlank(0, this.#length);
    this.#drop(this.#length);
  }

  /** Parses the elements up to an offset into the frame's value. */
  #parse(frame: OpenContainer, end: number): void {
    if (isBlank(this.#buffer, frame.start, end)) throw new SyntaxError("an element is missing");
    const text = this.#decoder.decode(this.#buffer.subarray(frame.start, end));
    const part = JSON.parse(frame.isObject ? `{${text}}` : `[${text}]`) as
      Record<string, unknown> | unknown[];
    const { value } = frame;
    // The first part needs no copy.
    if (frame.empty) frame.value = part;
    else if (Array.isArray(value)) for (const element of part as unknown[]) value.push(element);
    else for (const [key, element] of Object.entries(part)) frame.set(key, element);
    frame.start = frame.boundary;
    frame.empty = false;
  }

  #readKey(frame: OpenContainer, end: number): void {
    if (!frame.isObject) return this.#expectBlank(frame.boundary, end);
    const text = this.#decoder.decode(this.#buffer.subarray(frame.boundary, end));
    const [key, ...others] = Object.keys(JSON.parse(`{${text}{}}`) as object);
    if (key === undefined || others.length > 0) throw new SyntaxError("a key is missing");
    frame.key = key;
  }

  #put(frame: OpenContainer, element: unknown): void {
    if (Array.isArray(frame.value)) frame.value.push(element);
    else frame.set(frame.key, element);
    frame.filled = true;
    frame.empty = false;
    frame.start = frame.boundary = 0;
  }

  /** Whether the string that has come up to here is long, a value, and not known to be an ordinary one. */
  #mayLift(at: number): boolean {
    const top = this.#top;
    return !this.#plain && at - this.#string - 1 >= this.#liftFrom && top?.isObject === true && top.colon;
  }

  /** Turns the string on the way into bytes where it is a tensor's. Returns how many of the last bytes are left unread. */
  #lift(at: number): number {
    const moved = this.#string;
    this.#scanned = at;
    this.#flush();
    const top = this.#top;
    const shift = moved - this.#string;
    if (top === undefined) throw new SyntaxError("a string outside of a list");
    this.#readKey(top, this.#string);
    if (top.key !== "data" || !this.#isInTensors()) {
      this.#plain = true;
      return this.#scan();
    }
    const end = at - shift;
    const left = this.#length - end;
    const begun = this.#buffer.subarray(this.#string + 1, end);
    const lifted = new Base64Bytes(Math.ceil(((this.#announced - this.#received + begun.length) * 3) / 4));
    lifted.write(begun);
    this.#string = -1;
    // A backslash at the end is now the decoder's to follow.
    this.#escaped = false;
    this.#length = this.#scanned = 0;
    this.#lifted = lifted;
    return left;
  }

  #isInTensors(): boolean {
    return this.#frames.slice(0, this.#depth).some(({ key }) => tensorHolders.has(key));
  }

  #putLifted(bytes: Uint8Array): void {
    this.#lifted = undefined;
    const top = this.#top;
    if (top !== undefined) this.#put(top, bytes);
  }

  /** Lets the first bytes go. */
  #drop(count: number): void {
    if (count === 0) return;
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
    this.#scanned = Math.max(0, this.#scanned - count);
    if (this.#string >= 0) this.#string -= count;
    const top = this.#top;
    if (top === undefined) return;
    top.start -= count;
    top.boundary -= count;
  }

  #expectBlank(from: number, to: number): void {
    if (!isBlank(this.#buffer, from, to)) throw new SyntaxError("something stands where nothing may");
  }
}
