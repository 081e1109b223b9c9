import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes as bytesKind, fields, oneOf, optional, text } from "../../arguments/kinds.ts";
import { gatherStrided } from "../arrays/gather-strided.ts";
import { checkStored, storedBytes, storedSize, type StoredArray } from "../arrays/stored-array.ts";
import { ByteCursor } from "../files/byte-cursor.ts";
import { concatBytes } from "../files/concat-bytes.ts";
import { readWhole } from "../files/read-whole.ts";
import { writeFileWhole } from "../files/write-file.ts";
import { FormatError } from "../format-error.ts";
import { npyHeader, readNpyHeader, type NpyHeader } from "./npy-header.ts";

export interface NpyOptions {
  /** What two bytes of no type (V2) are: NumPy has no bfloat16, and ml_dtypes' arrays are written so. */
  voidAs?: "bfloat16";
}

export const npyOptions = fields({ voidAs: optional(oneOf(["bfloat16"])) });

/** Reads a .npy file of at most 1 GiB. Throws FormatError. */
export async function readNpy(path: string, options: NpyOptions = {}): Promise<StoredArray> {
  checkFormatArguments("readNpy", { path: [path, text], options: [options, npyOptions] });
  return parseNpy(await readWhole(path), options, path);
}

/**
 * Reads a .npy file that is in memory: versions 1 to 3, either byte order, C or Fortran order. The array is a view of `bytes`
 * where these lie as it needs them. Throws FormatError.
 */
export function parseNpy(bytes: Uint8Array, options: NpyOptions = {}, file = "the .npy file"): StoredArray {
  checkFormatArguments("parseNpy", {
    bytes: [bytes, bytesKind],
    options: [options, npyOptions],
    file: [file, text],
  });
  const { voidAs } = options;
  const cursor = new ByteCursor(bytes, file);
  const header = readNpyHeader(cursor, voidAs);
  const { dtype, shape } = header;
  return { dtype, shape, bytes: ordered(cursor.bytes(checkNpyData(header, cursor.left, file)), header) };
}

/** The bytes that the array takes, which must be all that follow the header. */
export function checkNpyData(
  { dtype, shape }: Pick<NpyHeader, "dtype" | "shape">,
  left: number,
  file: string,
): number {
  const size = storedSize(dtype, shape);
  if (size === left) return size;
  throw new FormatError(
    size > left ? "format_truncated" : "format_invalid",
    `${file} has ${left} bytes of data; shape [${shape.join(", ")}] of ${dtype} needs ${size}`,
    { file },
  );
}

/** A .npy file, version 1.0, as NumPy writes it. Throws FormatError. */
export function encodeNpy(array: StoredArray): Uint8Array {
  checkStored(array, "the array");
  return concatBytes([npyHeader(array.dtype, array.shape), array.bytes]);
}

/** Writes a .npy file whole or not at all. Throws FormatError. */
export async function writeNpy(path: string, array: StoredArray): Promise<void> {
  checkStored(array, "the array");
  await writeFileWhole(path, [npyHeader(array.dtype, array.shape), array.bytes]);
}

/** Little-endian bytes in C order. */
function ordered(bytes: Uint8Array, header: NpyHeader): Uint8Array {
  const { dtype, shape, fortranOrder } = header;
  const size = storedBytes[dtype];
  const little = littleEndian(bytes, header);
  if (!fortranOrder || shape.length < 2) return little;
  const strides: number[] = [];
  shape.reduce((stride, length) => {
    strides.push(stride);
    return stride * length;
  }, 1);
  return gatherStrided(little, size, { shape, strides, offset: 0 });
}

export function littleEndian(bytes: Uint8Array, { dtype, bigEndian }: NpyHeader): Uint8Array {
  const size = storedBytes[dtype];
  return bigEndian && size > 1 ? swapped(bytes, size) : bytes;
}

function swapped(bytes: Uint8Array, size: number): Uint8Array {
  const turned = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) turned[at] = bytes[at - (at % size) + size - 1 - (at % size)]!;
  return turned;
}
