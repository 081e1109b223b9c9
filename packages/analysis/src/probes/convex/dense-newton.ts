import { cholesky } from "../../linalg/cholesky.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import type { ConvexFit } from "./convex-fit.ts";
import { rowGram, transposed } from "./row-gram.ts";
import { dot } from "../../linalg/vectors.ts";

/** Beyond this size (rows or features, whichever are fewer) a factorisation takes minutes. */
export const largestDense = 3000;

/** The rows of a fit, standardised, in float64, and their Gram matrix once it is asked for. */
export interface DenseRows {
  /** Row numbers in the matrix. */
  readonly rows: readonly number[];
  readonly values: Float64Array;
  gram(): Float64Array;
}

/** The rows that the fit's moments were taken of. */
export function denseRows(matrix: ProbeMatrix, { moments, included }: ConvexFit): DenseRows {
  const { width } = matrix;
  const { mean, inverse } = moments;
  const rows = Array.from({ length: matrix.rows }, (_, row) => row).filter((row) => included[row]);
  const values = new Float64Array(rows.length * width);
  rows.forEach((row, at) => {
    for (let j = 0; j < width; j++) {
      values[at * width + j] = (matrix.values[row * width + j]! - mean[j]!) * inverse[j]!;
    }
  });
  let gram: Float64Array | undefined;
  return { rows, values, gram: () => (gram ??= rowGram(values, rows.length, width)) };
}

/**
 * The Newton step of a fit of one score column, exactly: (Zᵀ D Z + I) · step = −gradient with D the rows' `curvature` (C taken in),
 * the bias eliminated. Factors a matrix of as many rows as have curvature, or of as many features, whichever are fewer.
 */
export function denseStep(
  dense: DenseRows,
  { width, gradient, curvature }: { width: number; gradient: Float64Array; curvature: Float64Array },
): Float64Array {
  const active = dense.rows.flatMap((row, at) =>
    curvature[row]! > 0 ? [{ at, root: Math.sqrt(curvature[row]!) }] : [],
  );
  const inverse = inverseOf(dense, active, width);
  const pull = new Float64Array(width);
  let held = 0;
  for (const { at, root } of active) {
    held += root ** 2;
    for (let j = 0; j < width; j++) pull[j]! += root ** 2 * dense.values[at * width + j]!;
  }
  const weights = inverse(gradient.subarray(0, width));
  const coupled = inverse(pull);
  const hold = held - dot(pull, coupled);
  const bias = hold > 1e-12 * Math.max(held, 1) ? -(gradient[width]! - dot(pull, weights)) / hold : 0;
  return Float64Array.from({ length: width + 1 }, (_, j) =>
    j === width ? bias : -weights[j]! - bias * coupled[j]!,
  );
}

/** (Aᵀ A + I)⁻¹ of the active rows A, each times its root. */
function inverseOf(
  dense: DenseRows,
  active: readonly { at: number; root: number }[],
  width: number,
): (right: Float64Array) => Float64Array {
  const n = active.length;
  if (n === 0) return (right) => right.slice();
  const scaled = () => {
    const values = new Float64Array(n * width);
    active.forEach(({ at, root }, i) => {
      for (let j = 0; j < width; j++) values[i * width + j] = root * dense.values[at * width + j]!;
    });
    return values;
  };
  if (n > width) {
    const gram = rowGram(transposed(scaled(), n, width), width, n);
    for (let j = 0; j < width; j++) gram[j * width + j]! += 1;
    const factor = cholesky(gram, width);
    return (right) => factor.solve(right);
  }
  const whole = dense.gram();
  const count = dense.rows.length;
  const gram = new Float64Array(n * n);
  active.forEach((one, i) =>
    active.forEach((other, k) => {
      gram[i * n + k] = one.root * other.root * whole[one.at * count + other.at]! + (i === k ? 1 : 0);
    }),
  );
  const factor = cholesky(gram, n);
  const values = scaled();
  return (right) => {
    // Woodbury: (Aᵀ A + I)⁻¹ = I − Aᵀ (A Aᵀ + I)⁻¹ A.
    const solved = factor.solve(
      Float64Array.from({ length: n }, (_, i) => dot(values.subarray(i * width, (i + 1) * width), right)),
    );
    const answer = right.slice();
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < width; j++) answer[j]! -= solved[i]! * values[i * width + j]!;
    }
    return answer;
  };
}
