import type { ProbeMatrix } from "../probe-matrix.ts";
import { sumOfLines, timesLines } from "./line-products.ts";

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
  if (matrix.rows * matrix.width <= smallMatrix) return exactRowProducts(matrix);
  return {
    matrix,
    exact: false,
    scores: (weights) => matrix.scores(weights),
    gather: (residuals) => matrix.gather(residuals),
  };
}

/** In float64 and in this thread: about a multiplication a nanosecond. */
export function exactRowProducts(matrix: ProbeMatrix): RowProducts {
  const { values, width } = matrix;
  return {
    matrix,
    exact: true,
    scores: (weights) => Promise.resolve(weights.map((each) => timesLines(values, width, each))),
    gather: (residuals) => Promise.resolve(residuals.map((each) => sumOfLines(values, width, each))),
  };
}
