import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes as bytesKind, text } from "../../arguments/kinds.ts";
import { FormatError } from "../format-error.ts";

/** Reads numbers and texts one after the other; what would go past the end is refused before it is read. */
export class ByteCursor {
  at = 0;
  readonly file: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, file: string) {
    checkFormatArguments("a file in memory", { bytes: [bytes, bytesKind], file: [file, text] });
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.file = file;
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  /** The next bytes, as a view. Error `format_truncated`. */
  bytes(length: number): Uint8Array {
    const begin = this.#move(length);
    return this.#bytes.subarray(begin, begin + length);
  }

  uint8(): number {
    return this.#view.getUint8(this.#move(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#move(2), true);
  }

  int32(): number {
    return this.#view.getInt32(this.#move(4), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#move(4), true);
  }

  /** Error `format_too_large` where a number cannot hold it exactly. */
  uint64(): number {
    const begin = this.#move(8);
    const value = this.#view.getBigUint64(begin, true);
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
    throw new FormatError("format_too_large", `${this.file} has the count ${value} at byte ${begin}`, {
      file: this.file,
    });
  }

  float64BigEndian(): number {
    return this.#view.getFloat64(this.#move(8), false);
  }

  /** `length` bytes of UTF-8. Error `format_invalid`. */
  text(length: number): string {
    const begin = this.at;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.bytes(length));
    } catch (cause) {
      if (cause instanceof FormatError) throw cause;
      throw new FormatError(
        "format_invalid",
        `${this.file} has a text at byte ${begin} that is not UTF-8`,
        { file: this.file },
        { cause },
      );
    }
  }

  #move(length: number): number {
    if (length > this.left) {
      throw new FormatError(
        "format_truncated",
        `${this.file} asks for ${length} bytes from byte ${this.at} of ${this.#bytes.length} (truncated?)`,
        { file: this.file },
      );
    }
    const begin = this.at;
    this.at += length;
    return begin;
  }
}
