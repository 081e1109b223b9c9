import type { ProbeMatrix } from "../probe-matrix.ts";

/** Up to here (rows × width) products are made in this thread in float64: the device would take longer to be asked. */
const smallMatrix = 2 ** 16;

/** The two products with a layer's rows, many columns at a time. */
export interface RowProducts {
  readonly matrix: ProbeMatrix;
  /** Whether they are float64 all through. */
  readonly exact: boolean;
  scores(weights: readonly Float64Array[]): Promise<ArrayLike<number>[]>;
  gather(residuals: readonly Float64Array[]): Promise<ArrayLike<number>[]>;
}

/** In float64 where the matrix is small, in float32 on the device else. */
export function rowProducts(matrix: ProbeMatrix): RowProducts {
  const { values, rows, width } = matrix;
  if (rows * width > smallMatrix) {
    return {
      matrix,
      exact: false,
      scores: (weights) => matrix.scores([...weights]),
      gather: (residuals) => matrix.gather([...residuals]),
    };
  }
  const score = (weights: Float64Array): Float64Array => {
    const scores = new Float64Array(rows);
    for (let row = 0, at = 0; row < rows; row++) {
      let sum = 0;
      for (let j = 0; j < width; j++) sum += values[at++]! * weights[j]!;
      scores[row] = sum;
    }
    return scores;
  };
  const sums = (residuals: Float64Array): Float64Array => {
    const total = new Float64Array(width);
    for (let row = 0; row < rows; row++) {
      const residual = residuals[row]!;
      if (residual === 0) continue;
      for (let j = 0, at = row * width; j < width; j++) total[j]! += residual * values[at++]!;
    }
    return total;
  };
  return {
    matrix,
    exact: true,
    scores: (weights) => Promise.resolve(weights.map(score)),
    gather: (residuals) => Promise.resolve(residuals.map(sums)),
  };
}
