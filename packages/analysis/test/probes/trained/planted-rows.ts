import { createRandom } from "../../../src/statistics/random.ts";

/** Gaussian rows of two classes whose means differ by `shift` in feature 0. */
export function plantedRows(options: { rows?: number; width?: number; shift?: number; seed?: number } = {}): {
  values: Float32Array;
  width: number;
  labels: boolean[];
} {
  const { rows = 60, width = 5, shift = 3, seed = 1 } = options;
  const random = createRandom(seed, "planted rows");
  const labels = Array.from({ length: rows }, (_, row) => row % 2 === 0);
  const values = Float32Array.from({ length: rows * width }, (_, at) => {
    const row = Math.floor(at / width);
    return random.gaussian() + (at % width === 0 && labels[row] ? shift : 0);
  });
  return { values, width, labels };
}
