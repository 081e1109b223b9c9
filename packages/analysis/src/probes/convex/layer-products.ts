import type { ProbeMatrix } from "../probe-matrix.ts";

/** The two products with a layer's (centred) rows that every fit is made of. */
export interface LayerProducts {
  scores(weights: ArrayLike<number>[]): Promise<ArrayLike<number>[]>;
  gather(residuals: ArrayLike<number>[]): Promise<ArrayLike<number>[]>;
}

/**
 * The same in float64 and in this thread, for the last steps of fits whose gradient drowns in the rounding of float32: about a
 * multiplication a nanosecond.
 */
export function exactProducts({ values, rows, width }: ProbeMatrix): LayerProducts {
  return {
    scores: (weights) =>
      Promise.resolve(
        weights.map((weight) => {
          const scores = new Float64Array(rows);
          for (let row = 0, at = 0; row < rows; row++) {
            let sum = 0;
            for (let j = 0; j < width; j++, at++) sum += values[at]! * weight[j]!;
            scores[row] = sum;
          }
          return scores;
        }),
      ),
    gather: (residuals) =>
      Promise.resolve(
        residuals.map((residual) => {
          const sums = new Float64Array(width);
          for (let row = 0; row < rows; row++) {
            const factor = residual[row]!;
            if (factor === 0) continue;
            const start = row * width;
            for (let j = 0; j < width; j++) sums[j]! += factor * values[start + j]!;
          }
          return sums;
        }),
      ),
  };
}
