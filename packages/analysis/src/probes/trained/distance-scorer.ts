import type { DistanceScorerData } from "../../results/probe-scorer.ts";
import { unpackMatrix } from "./packed-matrix.ts";
import type { ProbeScorer } from "./scorer.ts";

/** The Mahalanobis distance from a mean; a text that says what is wrong when the data do not fit together. */
export function distanceScorer(data: DistanceScorerData, width: number): ProbeScorer | string {
  const { part, sign } = data;
  const center = Float64Array.from(data.center);
  const diagonal = Float64Array.from(data.diagonal);
  const right = unpackMatrix(data.right);
  const left = data.left === null ? null : unpackMatrix(data.left);
  if (typeof right === "string") return right;
  if (typeof left === "string") return left;
  const count = data.right.rows;
  const fits =
    center.length === width &&
    diagonal.length === width &&
    data.right.columns === width &&
    (data.left === null ? count === width : data.left.rows === count && data.left.columns === width);
  if (!fits) return `a distance of other rows than of ${width} numbers`;
  const along = (matrix: Float64Array, k: number, row: Float64Array): number => {
    let sum = 0;
    for (let j = 0, at = k * width; j < width; j++) sum += matrix[at++]! * row[j]!;
    return sum;
  };
  return {
    columns: 1,
    score(values) {
      const rows = values.length / width;
      const row = new Float64Array(width);
      return Float64Array.from({ length: rows }, (_, i) => {
        let squares = 0;
        for (let j = 0; j < width; j++) {
          row[j] = values[i * width + j]! - center[j]!;
          squares += diagonal[j]! * row[j]! ** 2;
        }
        for (let k = 0; k < count; k++) {
          squares += part * (left === null ? row[k]! : along(left, k, row)) * along(right, k, row);
        }
        // Rounding can leave a little below 0 at the mean itself.
        return sign * Math.sqrt(Math.max(0, squares));
      });
    },
    weights: () => null,
  };
}
