/** Features that are written side by side: as many as a line of the cache holds. */
const block = 16;

/**
 * Writes rows `first` … `first + count - 1` of `values` (`[rows, width]`) as columns of `turned`, whose lines are `line` numbers
 * apart: each feature less `mean`, times `scale`.
 */
export function turnRows(
  values: Float32Array,
  {
    width,
    first,
    count,
    mean,
    scale,
  }: {
    width: number;
    first: number;
    count: number;
    mean: Float64Array;
    scale: Float64Array;
  },
  { turned, line }: { turned: Float32Array; line: number },
): void {
  for (let from = 0; from < width; from += block) {
    const to = Math.min(width, from + block);
    for (let row = 0; row < count; row++) {
      const start = (first + row) * width;
      for (let j = from; j < to; j++) turned[j * line + row] = (values[start + j]! - mean[j]!) * scale[j]!;
    }
  }
}
