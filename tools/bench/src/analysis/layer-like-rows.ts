import { createRandom } from "@residua/analysis";

/** Strong common factors of a residual stream. */
const rank = 64;

/** Rows with what a residual stream has: a few strong common factors, noise, massive features, and a label along one direction. */
export function layerLikeRows({ rows, width, seed }: { rows: number; width: number; seed: number }): {
  values: Float32Array<ArrayBuffer>;
  labels: Uint8Array;
} {
  const random = createRandom(seed, "bench");
  const factors = Float32Array.from({ length: rank * width }, () => random.gaussian());
  const values = new Float32Array(rows * width);
  const labels = Uint8Array.from({ length: rows }, (_, row) => row % 2);
  const line = new Float64Array(width);
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < width; j++) line[j] = random.gaussian();
    for (let k = 0; k < rank; k++) {
      const load = random.gaussian() / (1 + k / 8) + (k === 3 ? labels[row]! : 0);
      for (let j = 0; j < width; j++) line[j]! += load * factors[k * width + j]!;
    }
    for (let j = 7; j < width; j += 300) line[j] = 40 + 10 * line[j]!;
    values.set(line, row * width);
  }
  return { values, labels };
}
