import { FormatError } from "../format-error.ts";
import { storedBytes, type StoredArray } from "./stored-array.ts";

/** Where entries of the first `axes` axes lie in an array's bytes, and the shape of one. Error `format_missing`. */
export function rowRange(
  { dtype, shape }: Pick<StoredArray, "dtype" | "shape">,
  { first, count, axes }: { first: number; count: number; axes: number },
  called: string,
): { begin: number; length: number; rest: readonly number[] } {
  const rest = shape.slice(axes);
  const size = (lengths: readonly number[]): number =>
    lengths.reduce((product, length) => product * length, 1);
  const rows = shape.length < axes ? 0 : size(shape.slice(0, axes));
  const whole = [first, count, axes].every((value) => Number.isInteger(value) && value >= 0) && axes > 0;
  if (!whole || first + count > rows) {
    throw new FormatError(
      "format_missing",
      `${called}: rows ${first} to ${first + count - 1} asked for; its shape is [${shape.join(", ")}]`,
      { file: called },
    );
  }
  const bytes = size(rest) * storedBytes[dtype];
  return { begin: first * bytes, length: count * bytes, rest };
}
