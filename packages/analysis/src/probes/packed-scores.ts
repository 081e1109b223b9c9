import type { DeviceMatrix } from "../backend/device-matrix.ts";

/** Scores of `weights` (`[columns, width]`) as `[columns, rows]`, in one product. */
export async function packedScores(
  matrix: DeviceMatrix,
  weights: readonly ArrayLike<number>[],
): Promise<Float32Array[]> {
  const { rows, width } = matrix;
  const columns = weights.length;
  const packed = new Float32Array(width * columns);
  weights.forEach((column, k) => {
    for (let j = 0; j < width; j++) packed[j * columns + k] = column[j]!;
  });
  const product = await matrix.times(packed, columns);
  return weights.map((_, k) => {
    const scores = new Float32Array(rows);
    for (let row = 0; row < rows; row++) scores[row] = product[row * columns + k]!;
    return scores;
  });
}
