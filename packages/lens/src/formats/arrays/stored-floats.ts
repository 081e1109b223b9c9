import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { anyText, floats, listOf, oneOf, whole } from "../../arguments/kinds.ts";
import { alignedBytes } from "../../codec/aligned-bytes.ts";
import { bf16ToFloat32, float32ToBf16 } from "../../codec/bfloat16.ts";
import { firstOverflow } from "../../codec/first-overflow.ts";
import { float16ToFloat32, float32ToFloat16 } from "../../codec/float16.ts";
import { FormatError } from "../format-error.ts";
import { storedArray, storedBytes, type StoredArray, type StoredDtype } from "./stored-array.ts";

/** The types whose numbers are read as float32. */
const floatDtypes = ["float64", "float32", "bfloat16", "float16"] as const;
export type FloatDtype = (typeof floatDtypes)[number];

export function isFloatDtype(dtype: StoredDtype): dtype is FloatDtype {
  return (floatDtypes as readonly string[]).includes(dtype);
}

/**
 * The numbers as float32, flattened, a copy. Narrow types widen exactly; float64 rounds to nearest, and what overflows is
 * refused. Errors `format_invalid`, `format_unsupported` (not a float type), `format_value`.
 */
export function storedFloats(array: StoredArray, name = "the array"): Float32Array {
  checkFormatArguments("storedFloats", { name: [name, anyText], array: [array, storedArray] });
  const { dtype, bytes } = array;
  if (!isFloatDtype(dtype)) {
    throw new FormatError(
      "format_unsupported",
      `${name} holds ${dtype}; expected one of ${floatDtypes.join(", ")}`,
      { dtype },
    );
  }
  const { buffer, byteOffset } = alignedBytes(bytes, storedBytes[dtype]);
  const length = bytes.byteLength / storedBytes[dtype];
  switch (dtype) {
    case "float32":
      return new Float32Array(buffer, byteOffset, length).slice();
    case "bfloat16":
      return bf16ToFloat32(new Uint16Array(buffer, byteOffset, length));
    case "float16":
      return float16ToFloat32(new Uint16Array(buffer, byteOffset, length));
    case "float64": {
      const wide = new Float64Array(buffer, byteOffset, length);
      const narrow = Float32Array.from(wide);
      const lost = wide.findIndex((value, i) => Number.isFinite(value) && !Number.isFinite(narrow[i]));
      if (lost >= 0) throw overflow(name, lost, wide[lost], "float32");
      return narrow;
    }
  }
}

/**
 * float32 values → an array of `dtype`; bfloat16 and float16 round to nearest, ties to even. A finite value that overflows
 * is refused, never written as infinity. Errors `format_invalid`, `format_value`.
 */
export function storeFloats(
  values: Float32Array,
  shape: readonly number[],
  dtype: FloatDtype = "float32",
  name = "the array",
): StoredArray {
  checkFormatArguments("storeFloats", {
    values: [values, floats],
    shape: [shape, listOf(whole(0))],
    dtype: [dtype, oneOf(floatDtypes)],
    name: [name, anyText],
  });
  const numbers = shape.reduce((product, length) => product * length, 1);
  if (numbers !== values.length) {
    throw new FormatError(
      "format_invalid",
      `shape [${shape.join(", ")}] of ${name} is ${numbers} numbers, ${values.length} given`,
      { shape },
    );
  }
  const stored =
    dtype === "float32"
      ? values.slice()
      : dtype === "float64"
        ? Float64Array.from(values)
        : dtype === "bfloat16"
          ? float32ToBf16(values)
          : float32ToFloat16(values);
  if (stored instanceof Uint16Array) {
    const lost = firstOverflow(values, stored, dtype === "bfloat16" ? dtype : "float16");
    if (lost >= 0) throw overflow(name, lost, values[lost], dtype);
  }
  return { dtype, shape, bytes: new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength) };
}

function overflow(name: string, at: number, value: number | undefined, dtype: string): FormatError {
  return new FormatError(
    "format_value",
    `number ${at} of ${name} is ${value}, which ${dtype} cannot hold; take float32 or bfloat16, or scale the numbers down`,
    { index: at, dtype },
  );
}
