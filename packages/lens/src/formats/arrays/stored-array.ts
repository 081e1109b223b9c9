import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { anyText, aNumber, bytes as bytesKind, fields, type Kind, listOf } from "../../arguments/kinds.ts";
import { FormatError } from "../format-error.ts";

/** Bytes of one number, by its type. */
export const storedBytes = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint64: 8,
  uint32: 4,
  uint16: 2,
  uint8: 1,
  bool: 1,
} as const;

export type StoredDtype = keyof typeof storedBytes;

/** An array as files hold it: little-endian bytes in C order (the last index runs fastest). */
export interface StoredArray {
  readonly dtype: StoredDtype;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Bytes that an array of this type and shape takes. Error `format_too_large` where a number cannot count them. */
export function storedSize(dtype: StoredDtype, shape: readonly number[]): number {
  const size = shape.reduce((product, length) => product * length, 1) * storedBytes[dtype];
  if (Number.isSafeInteger(size)) return size;
  throw new FormatError("format_too_large", `shape [${shape.join(", ")}] of ${dtype} is ${size} bytes`, {
    shape,
    dtype,
  });
}

const arrayForm = fields({ dtype: anyText, shape: listOf(aNumber), bytes: bytesKind }, { loose: true });

/** An array as `storeFloats` and the readers make it. */
export const storedArray: Kind = {
  allowed: "a stored array {dtype, shape, bytes}",
  fault(value, field) {
    const fault = arrayForm.fault(value, field);
    if (fault) return fault.field === field ? { ...fault, allowed: storedArray.allowed } : fault;
    // Throws by itself, with the sizes.
    checkStored(value as StoredArray, field);
    return undefined;
  },
};

/** Checks that the bytes are as many as type and shape say. Error `format_invalid`. */
export function checkStored(array: StoredArray, name: string): void {
  checkFormatArguments(name, { array: [array, arrayForm] });
  const { dtype, shape, bytes } = array;
  const odd = shape.find((length) => !Number.isSafeInteger(length) || length < 0);
  if (!Object.hasOwn(storedBytes, dtype) || odd !== undefined) {
    throw new FormatError(
      "format_invalid",
      `${name} has the type ${dtype} and the shape [${shape.join(", ")}]; allowed: ${Object.keys(storedBytes).join(", ")}, and lengths from 0`,
      { dtype, shape },
    );
  }
  const size = storedSize(dtype, shape);
  if (bytes.byteLength === size) return;
  throw new FormatError(
    "format_invalid",
    `${name} of shape [${shape.join(", ")}] in ${dtype} takes ${size} bytes, ${bytes.byteLength} given`,
    { dtype, shape },
  );
}
