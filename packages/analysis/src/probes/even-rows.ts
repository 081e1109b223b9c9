/** At most `most` rows of `values` (`[rows, width]`), at even distances; all of them (no copy) where there are no more. */
export function evenRows(
  { values, width, rows }: { values: Float32Array; width: number; rows: number },
  most: number,
): Float32Array {
  if (rows <= most) return values;
  const sample = new Float32Array(most * width);
  for (let i = 0; i < most; i++) {
    const row = Math.floor(((i + 0.5) * rows) / most);
    sample.set(values.subarray(row * width, (row + 1) * width), i * width);
  }
  return sample;
}
