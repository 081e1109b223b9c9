import { DataType, type Data } from "apache-arrow";

/** Bytes of a text that are not UTF-8; `row` is counted from the first of the data. */
export class TextBytesError extends Error {
  readonly row: number;
  constructor(row: number) {
    super("is not UTF-8");
    this.row = row;
  }
}

/** Whether a column of this type is of texts: with offsets of 32 or 64 bits, or as views. */
export function isTextType(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

/**
 * Texts as they are: apache-arrow takes a leading U+FEFF away, and puts another character for bytes that are not UTF-8.
 * Throws TextBytesError.
 */
export function* arrowTexts(data: Data): Generator<string | null> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
  const bytesAt = DataType.isUtf8View(data.type) ? viewBytes(data) : offsetBytes(data);
  for (let i = 0; i < data.length; i++) {
    if (data.nullCount > 0 && !data.getValid(i)) yield null;
    else yield decoded(decoder, bytesAt(i), i);
  }
}

function decoded(decoder: TextDecoder, bytes: Uint8Array, row: number): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new TextBytesError(row);
  }
}

function offsetBytes({ valueOffsets, values }: Data): (i: number) => Uint8Array {
  const offsets = valueOffsets as Int32Array | BigInt64Array;
  return (i) => (values as Uint8Array).subarray(Number(offsets[i]), Number(offsets[i + 1]));
}

/** A view is 16 bytes: the length, then the text itself where it fits in 12, else 4 bytes of it, its buffer and its place there. */
function viewBytes({ values, variadicBuffers }: Data): (i: number) => Uint8Array {
  const views = values as Uint8Array;
  const words = new DataView(views.buffer, views.byteOffset, views.byteLength);
  return (i) => {
    const at = 16 * i;
    const length = words.getInt32(at, true);
    if (length <= 12) return views.subarray(at + 4, at + 4 + length);
    const buffer = variadicBuffers[words.getInt32(at + 8, true)] ?? new Uint8Array();
    const from = words.getInt32(at + 12, true);
    return buffer.subarray(from, from + length);
  };
}
