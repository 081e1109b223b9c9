/** The lower half of `matrix` (`[size, size]`) as that of `lines` (`[padded, padded]`, all 0), with 1 on the rest of the diagonal. */
export function copyLower(
  matrix: ArrayLike<number>,
  size: number,
  { lines, padded }: { lines: Float32Array | Float64Array; padded: number },
): void {
  const typed = matrix instanceof Float64Array || matrix instanceof Float32Array ? matrix : undefined;
  const values = typed ?? Float64Array.from(matrix);
  for (let i = 0; i < size; i++) lines.set(values.subarray(i * size, i * size + i + 1), i * padded);
  for (let i = size; i < padded; i++) lines[i * (padded + 1)] = 1;
}
