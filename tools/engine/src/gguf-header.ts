import { ModelFolderError } from "./engine-error.ts";
import { blockLength, tensorBytes, type TensorFormat } from "./tensor-formats.ts";

/** The formats read, by ggml's number. */
const formats: Readonly<Record<number, TensorFormat>> = {
  0: "F32",
  1: "F16",
  2: "Q4_0",
  3: "Q4_1",
  8: "Q8_0",
  14: "Q6_K",
  30: "BF16",
};

/** Names of formats that are not read, for the refusal. */
const otherFormats: Readonly<Record<number, string>> = {
  6: "Q5_0",
  7: "Q5_1",
  10: "Q2_K",
  11: "Q3_K",
  12: "Q4_K",
  13: "Q5_K",
  20: "IQ4_NL",
  23: "IQ4_XS",
  39: "MXFP4",
};

const limits = { keys: 65_536, tensors: 65_536, arrayLength: 2 ** 22, keyBytes: 65_535, alignment: 65_536 };

type GgufScalar = number | bigint | boolean | string;
/** A 64-bit integer that a double cannot hold exactly is a bigint. */
export type GgufValue = GgufScalar | readonly GgufScalar[];

/** Where a tensor lies; `begin` counts from the start of the file, the shape's last size runs fastest. */
interface GgufTensor {
  readonly format: TensorFormat;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly bytes: number;
}

export interface GgufHeader {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
}

/** Thrown inside when the header goes on after the bytes at hand. */
class MoreBytesNeeded extends Error {}

/**
 * Reads the header of a GGUF file (version 2 or 3, little-endian) from its first bytes; null when the header goes
 * on after them. Every count, length and range is checked against the file's size before it is used, no tensors
 * overlap. Throws ModelFolderError, `weights_invalid`, or `unsupported_model` for a tensor format that is not read.
 * Source: docs/gguf.md of the ggml project.
 */
export function parseGgufHeader(bytes: Uint8Array, fileBytes: number, file: string): GgufHeader | null {
  try {
    return parse(new Cursor(bytes, fileBytes, file));
  } catch (error) {
    if (error instanceof MoreBytesNeeded) return null;
    throw error;
  }
}

function parse(cursor: Cursor): GgufHeader {
  const { file } = cursor;
  if (cursor.uint32() !== 0x46554747) refuseGguf(file, "does not begin with GGUF");
  const version = cursor.uint32();
  if (version !== 2 && version !== 3) {
    refuseGguf(file, `is GGUF version ${version}; versions 2 and 3, little-endian, are read`);
  }
  const tensorCount = cursor.count("tensors", limits.tensors, 1);
  const keyCount = cursor.count("keys", limits.keys, 1);
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < keyCount; i++) {
    const key = cursor.string(limits.keyBytes);
    if (metadata.has(key)) refuseGguf(file, `has the key ${JSON.stringify(key)} twice`);
    metadata.set(key, readValue(cursor, cursor.uint32(), key));
  }
  const alignment = metadata.get("general.alignment") ?? 32;
  if (
    typeof alignment !== "number" ||
    alignment < 1 ||
    alignment > limits.alignment ||
    !Number.isInteger(Math.log2(alignment))
  ) {
    refuseGguf(
      file,
      `has the alignment ${String(alignment)}; a power of two up to ${limits.alignment} is read`,
    );
  }
  const found: [name: string, tensor: GgufTensor][] = [];
  for (let i = 0; i < tensorCount; i++) found.push(readTensor(cursor));
  const dataStart = Math.ceil(cursor.at / alignment) * alignment;
  return { metadata, tensors: placeTensors(found, dataStart, alignment, cursor) };
}

function readTensor(cursor: Cursor): [string, GgufTensor] {
  const name = cursor.string(limits.keyBytes);
  const called = `tensor ${JSON.stringify(name)}`;
  const dimensions = cursor.uint32();
  if (dimensions < 1 || dimensions > 4) refuseGguf(cursor.file, `${called} has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () =>
    cursor.count(`numbers of ${called}`, 2 ** 40, 0),
  ).reverse();
  const type = cursor.uint32();
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  if (format === undefined) {
    const kind = otherFormats[type] ?? `number ${type}`;
    throw new ModelFolderError(
      "unsupported_model",
      `${cursor.file}: ${called} has the format ${kind}; F32, F16, BF16, Q8_0, Q6_K, Q4_0 and Q4_1 are read`,
      { file: cursor.file, name, format: kind },
    );
  }
  const count = shape.reduce((product, size) => product * size, 1);
  if (count < 1 || !Number.isSafeInteger(count) || shape.at(-1)! % blockLength(format) !== 0) {
    refuseGguf(cursor.file, `${called} in ${format} has the shape [${shape.join(", ")}]`);
  }
  const begin = cursor.count(`bytes before ${called}`, Number.MAX_SAFE_INTEGER, 0);
  return [name, { format, shape, begin, bytes: tensorBytes(format, count) }];
}

/** Moves the tensors' beginnings from the data part to the file and checks that they lie in it apart. */
function placeTensors(
  found: readonly [string, GgufTensor][],
  dataStart: number,
  alignment: number,
  { file, fileBytes }: Cursor,
): Map<string, GgufTensor> {
  const tensors = new Map<string, GgufTensor>();
  let free = dataStart;
  for (const [name, tensor] of [...found].sort(([, a], [, b]) => a.begin - b.begin)) {
    const called = `tensor ${JSON.stringify(name)}`;
    const begin = dataStart + tensor.begin;
    if (tensors.has(name)) refuseGguf(file, `${called} is there twice`);
    if (tensor.begin % alignment !== 0) refuseGguf(file, `${called} is not aligned to ${alignment} bytes`);
    if (begin < free) refuseGguf(file, `${called} overlaps the one before it`);
    free = begin + tensor.bytes;
    if (free > fileBytes) {
      refuseGguf(file, `${called} ends at byte ${free}, but the file has ${fileBytes} bytes (truncated?)`);
    }
    tensors.set(name, { ...tensor, begin });
  }
  return tensors;
}

/** Bytes of a value of each metadata type in an array, the least for strings; 9 is an array. */
const valueBytes = [1, 1, 2, 2, 4, 4, 4, 1, 8, Infinity, 8, 8, 8];

function readValue(cursor: Cursor, type: number, key: string): GgufValue {
  if (type !== 9) return readScalar(cursor, type, key);
  const element = cursor.uint32();
  if (element === 9) refuseGguf(cursor.file, `${JSON.stringify(key)} is an array of arrays`);
  const length = cursor.count(
    `values of ${JSON.stringify(key)}`,
    limits.arrayLength,
    valueBytes[element] ?? 1,
  );
  return Array.from({ length }, () => readScalar(cursor, element, key));
}

function readScalar(cursor: Cursor, type: number, key: string): GgufScalar {
  const view = cursor.view;
  const at = type === 8 ? 0 : cursor.take(valueBytes[type] ?? 0);
  switch (type) {
    case 0:
      return view.getUint8(at);
    case 1:
      return view.getInt8(at);
    case 2:
      return view.getUint16(at, true);
    case 3:
      return view.getInt16(at, true);
    case 4:
      return view.getUint32(at, true);
    case 5:
      return view.getInt32(at, true);
    case 6:
      return view.getFloat32(at, true);
    case 7:
      return view.getUint8(at) !== 0;
    case 8:
      return cursor.string(Infinity);
    case 10:
      return plainNumber(view.getBigUint64(at, true));
    case 11:
      return plainNumber(view.getBigInt64(at, true));
    case 12:
      return view.getFloat64(at, true);
    default:
      return refuseGguf(cursor.file, `${JSON.stringify(key)} has the unknown type ${type}`);
  }
}

function plainNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Reads from the first bytes of a file whose size is known. */
class Cursor {
  readonly view: DataView;
  readonly fileBytes: number;
  readonly file: string;
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(bytes: Uint8Array, fileBytes: number, file: string) {
    this.#bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.fileBytes = fileBytes;
    this.file = file;
  }

  /** Moves over `length` bytes and returns where they begin. */
  take(length: number): number {
    const begin = this.at;
    if (begin + length > this.fileBytes) {
      refuseGguf(
        this.file,
        `its header asks for ${length} bytes from byte ${begin} of ${this.fileBytes} (truncated?)`,
      );
    }
    if (begin + length > this.#bytes.length) throw new MoreBytesNeeded();
    this.at += length;
    return begin;
  }

  uint32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  /** A 64-bit count of things that take at least `each` bytes of what follows. */
  count(things: string, limit: number, each: number): number {
    const count = this.view.getBigUint64(this.take(8), true);
    if (count > BigInt(limit) || Number(count) * each > this.fileBytes - this.at) {
      refuseGguf(this.file, `its header announces ${count} ${things}`);
    }
    return Number(count);
  }

  string(limit: number): string {
    const length = this.count("bytes of text", Math.min(limit, this.fileBytes), 1);
    const begin = this.take(length);
    try {
      return this.#decoder.decode(this.#bytes.subarray(begin, begin + length));
    } catch (cause) {
      return refuseGguf(this.file, `has a text at byte ${begin} that is not UTF-8`, cause);
    }
  }
}

/** Throws ModelFolderError `weights_invalid` for a GGUF file. */
export function refuseGguf(file: string, problem: string, cause?: unknown): never {
  const options = cause === undefined ? undefined : { cause };
  throw new ModelFolderError(
    "weights_invalid",
    `${file}: ${problem}; fetch or convert the file again`,
    { file },
    options,
  );
}
