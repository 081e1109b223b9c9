import { storedSize, type StoredArray, type StoredDtype } from "../arrays/stored-array.ts";
import { ByteCursor } from "../files/byte-cursor.ts";
import { FormatError } from "../format-error.ts";

/** Texts and numbers of the header; arrays are passed over. */
export type GgufMetadata = ReadonlyMap<string, string | number | boolean>;

interface GgufContent {
  readonly metadata: GgufMetadata;
  /** Shapes with the last size running fastest, bytes as views of the file. */
  readonly tensors: ReadonlyMap<string, StoredArray>;
}

/** The types of vectors that are read, by ggml's number. */
const dtypes: Readonly<Record<number, StoredDtype>> = {
  0: "float32",
  1: "float16",
  28: "float64",
  30: "bfloat16",
};

/** Bytes of a metadata value by its type: 8 is a text, 9 an array. */
const valueBytes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/**
 * Reads a GGUF file of vectors (version 2 or 3, little-endian) from memory. Every count and range is checked against the
 * bytes at hand before it is used. Throws FormatError. Source: docs/gguf.md of the ggml project.
 */
export function parseGguf(bytes: Uint8Array, file: string): GgufContent {
  const cursor = new ByteCursor(bytes, file);
  if (cursor.left < 4 || cursor.uint32() !== 0x46554747)
    fail("format_invalid", file, "does not begin with GGUF");
  const version = cursor.uint32();
  if (version !== 2 && version !== 3) {
    fail("format_unsupported", file, `is GGUF version ${version}; versions 2 and 3, little-endian, are read`);
  }
  const tensorCount = boundedCount(cursor, "tensors", 24);
  const keyCount = boundedCount(cursor, "keys", 13);
  const metadata = new Map<string, string | number | boolean>();
  for (let i = 0; i < keyCount; i++) {
    const key = text(cursor);
    const value = readValue(cursor, cursor.uint32(), key);
    if (metadata.has(key)) fail("format_invalid", file, `has the key ${JSON.stringify(key)} twice`);
    if (value !== undefined) metadata.set(key, value);
  }
  const infos = Array.from({ length: tensorCount }, () => readInfo(cursor));
  const alignment = metadata.get("general.alignment") ?? 32;
  if (typeof alignment !== "number" || alignment < 1 || alignment > 65_536 || alignment % 1 !== 0) {
    return fail("format_invalid", file, `has the alignment ${String(alignment)}`);
  }
  const dataStart = Math.ceil(cursor.at / alignment) * alignment;
  const tensors = new Map<string, StoredArray>();
  for (const { name, dtype, shape, offset, size } of infos) {
    const begin = dataStart + offset;
    if (tensors.has(name)) fail("format_invalid", file, `has the tensor ${JSON.stringify(name)} twice`);
    if (begin + size > bytes.length) {
      fail(
        "format_truncated",
        file,
        `has ${bytes.length} bytes, and its tensor ${JSON.stringify(name)} ends at ${begin + size}`,
      );
    }
    tensors.set(name, { dtype, shape, bytes: bytes.subarray(begin, begin + size) });
  }
  return { metadata, tensors };
}

function readInfo(cursor: ByteCursor) {
  const name = text(cursor);
  const dimensions = cursor.uint32();
  if (dimensions < 1 || dimensions > 4) {
    fail("format_invalid", cursor.file, `has the tensor ${JSON.stringify(name)} of ${dimensions} dimensions`);
  }
  const shape = Array.from({ length: dimensions }, () => cursor.uint64()).reverse();
  const type = cursor.uint32();
  const dtype = dtypes[type];
  if (dtype === undefined) {
    return fail(
      "format_unsupported",
      cursor.file,
      `has the tensor ${JSON.stringify(name)} in ggml's type ${type}; read are F32, F16, BF16 and F64`,
    );
  }
  return { name, dtype, shape, offset: cursor.uint64(), size: storedSize(dtype, shape) };
}

function readValue(cursor: ByteCursor, type: number, key: string): string | number | boolean | undefined {
  if (type === 8) return text(cursor);
  if (type === 9) {
    skipArray(cursor, key);
    return undefined;
  }
  const size = valueBytes[type];
  if (size === undefined)
    return fail("format_invalid", cursor.file, `has ${JSON.stringify(key)} of the unknown type ${type}`);
  const bytes = cursor.bytes(size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, size);
  switch (type) {
    case 1:
      return view.getInt8(0);
    case 2:
      return view.getUint16(0, true);
    case 3:
      return view.getInt16(0, true);
    case 4:
      return view.getUint32(0, true);
    case 5:
      return view.getInt32(0, true);
    case 6:
      return view.getFloat32(0, true);
    case 7:
      return view.getUint8(0) !== 0;
    case 10:
      return Number(view.getBigUint64(0, true));
    case 11:
      return Number(view.getBigInt64(0, true));
    case 12:
      return view.getFloat64(0, true);
    default:
      return view.getUint8(0);
  }
}

function skipArray(cursor: ByteCursor, key: string): void {
  const element = cursor.uint32();
  const size = element === 8 ? 8 : valueBytes[element];
  if (size === undefined)
    fail("format_invalid", cursor.file, `has ${JSON.stringify(key)}, an array of the type ${element}`);
  const count = boundedCount(cursor, `values of ${JSON.stringify(key)}`, size);
  if (element !== 8) cursor.bytes(count * size);
  else for (let i = 0; i < count; i++) cursor.bytes(cursor.uint64());
}

/** A count of things that take at least `each` bytes of what is left. */
function boundedCount(cursor: ByteCursor, things: string, each: number): number {
  const count = cursor.uint64();
  if (count * each > cursor.left)
    fail("format_truncated", cursor.file, `announces ${count} ${things} in ${cursor.left} bytes`);
  return count;
}

function text(cursor: ByteCursor): string {
  return cursor.text(cursor.uint64());
}

function fail(code: FormatError["code"], file: string, problem: string): never {
  throw new FormatError(code, `${file} ${problem}`, { file });
}
