import { float32ToBf16, float32ToFloat16, float16ToFloat32 } from "@residua/lens";
import { widenNumbers } from "../dataset/widen-numbers.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";

/** Numbers as a file has them: floats of two widths, or 16 bits of one of the narrow types. */
export type FileNumbers =
  | { dtype: "float64"; values: Float64Array }
  | { dtype: "float32"; values: Float32Array }
  | { dtype: "float16" | "bfloat16"; values: Uint16Array };

/** A number that the type asked for does not hold. */
export class InexactNumber extends Error {
  readonly index: number;
  constructor(index: number, value: number, dtype: RowDtype) {
    super(`${value} is no ${dtype}`);
    this.index = index;
  }
}

/**
 * The numbers in `dtype`, in memory of their own. Without `round` each must be one that the type holds, else InexactNumber; with
 * it they are rounded once, to nearest, ties to even, and only a finite number that would become infinite is refused. A NaN
 * keeps the payload that fits, and stays a NaN.
 */
export function narrowNumbers(
  numbers: FileNumbers,
  dtype: RowDtype,
  { round }: { round: boolean },
): RowNumbers<ArrayBuffer> {
  if (numbers.dtype === dtype) return numbers.values.slice();
  const wide = asFloat32(numbers, dtype, round);
  if (dtype === "float32") return wide;
  const narrow = (
    dtype === "bfloat16" ? float32ToBf16(wide) : float32ToFloat16(wide)
  ) as Uint16Array<ArrayBuffer>;
  const back = new Float32Array(narrow.length);
  widenNumbers(narrow, dtype, back);
  const given = numbers.dtype === "float64" ? numbers.values : wide;
  check(given, back, dtype, round);
  return narrow;
}

/** As float32; float64 that will be rounded further is rounded to odd, so that rounding twice is rounding once. */
function asFloat32(numbers: FileNumbers, dtype: RowDtype, round: boolean): Float32Array<ArrayBuffer> {
  const { values } = numbers;
  const wide = new Float32Array(values.length);
  if (numbers.dtype === "float16") float16ToFloat32(numbers.values, wide);
  else if (numbers.dtype === "bfloat16") widenNumbers(numbers.values, "bfloat16", wide);
  else wide.set(values);
  if (numbers.dtype !== "float64") return wide;
  check(numbers.values, wide, "float32", round);
  if (dtype !== "float32") roundToOdd(numbers.values, wide);
  return wide;
}

/** Where float32 is not exact: of the two neighbours, the one whose last bit is set. */
function roundToOdd(given: Float64Array, wide: Float32Array): void {
  const words = new Uint32Array(wide.buffer, wide.byteOffset, wide.length);
  for (let i = 0; i < wide.length; i++) {
    const [value, nearest] = [given[i] as number, wide[i] as number];
    if (value === nearest || Number.isNaN(value)) continue;
    const word = words[i] as number;
    if ((word & 1) === 1) continue;
    // Towards the value: away from zero where the nearest is nearer to zero than the value is.
    words[i] = Math.abs(nearest) < Math.abs(value) ? word + 1 : word - 1;
  }
}

function check(given: ArrayLike<number>, got: Float32Array, dtype: RowDtype, round: boolean): void {
  for (let i = 0; i < got.length; i++) {
    const [value, other] = [given[i] as number, got[i] as number];
    if (value === other || Number.isNaN(value)) continue;
    if (!round || Number.isFinite(value) !== Number.isFinite(other)) throw new InexactNumber(i, value, dtype);
  }
}
