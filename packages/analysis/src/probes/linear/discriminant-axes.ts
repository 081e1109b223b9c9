import { symmetricEigen } from "../../linalg/symmetric-eigen.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";
import { ProbeError } from "../probe-error.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import type { RowSpread } from "./row-spread.ts";
import { shrunkCovariance } from "./shrunk-covariance.ts";
import { solveSpread } from "./solve-spread.ts";

export interface DiscriminantAxes {
  /** At most classes − 1, the one that parts the classes best first; each scaled so that axisᵀ · Σ · axis = 1. */
  readonly axes: readonly Float64Array[];
  /** Of each axis, the variance of the class means along it (in units of the variance within classes). */
  readonly values: readonly number[];
  /** Of each class, in the matrix's own features. */
  readonly means: readonly Float64Array[];
}

/**
 * The axes of Fisher and Rao: S_between · v = λ · Σ · v, with S_between = Σ_k share_k (m_k − m)(m_k − m)ᵀ and Σ the shrunk covariance
 * within the classes that `lda()` uses. They lie in the span of Σ⁻¹(m_k − m), so only a matrix of classes × classes is decomposed.
 * `classes` is the spread of the training rows by class, each row of weight 1. Throws ProbeError `one_class`, `not_converged`.
 */
export async function discriminantAxes(
  matrix: ProbeMatrix,
  classes: RowSpread,
  most: number,
): Promise<DiscriminantAxes> {
  if (!classes.totals.some((count) => count > 1)) {
    throw new ProbeError(
      "one_class",
      "Every class has one row only: they tell nothing of how rows vary within one.",
    );
  }
  const covariance = await shrunkCovariance(matrix, classes, "auto");
  const { means, counts } = covariance;
  const shares = counts.map((count) => count / classes.total);
  const middle = new Float64Array(matrix.width);
  means.forEach((mean, k) => addScaled(middle, shares[k]!, mean));
  const steps = means.map((mean, k) => mean.map((value, j) => Math.sqrt(shares[k]!) * (value - middle[j]!)));
  const solutions = await solveSpread(matrix, covariance, steps);
  const failed = solutions.find(({ converged }) => !converged);
  if (failed) {
    throw new ProbeError(
      "not_converged",
      `The discriminant axes did not converge: residual ${failed.gradientNorm.toExponential(2)} after ${failed.iterations} steps.`,
      { gradientNorm: failed.gradientNorm, iterations: failed.iterations },
    );
  }
  const size = means.length;
  const inner = new Float64Array(size * size);
  for (let k = 0; k < size; k++)
    for (let l = 0; l < size; l++) inner[k * size + l] = dot(steps[k]!, solutions[l]!.weights);
  // Solutions are as exact as their residuals, so the products are symmetric only about.
  const even = inner.map((value, at) => (value + inner[(at % size) * size + Math.floor(at / size)]!) / 2);
  const { values, vectors } = symmetricEigen(even, size);
  const count = Math.min(most, size - 1);
  const axes = vectors.slice(0, count).map((mix, i) => {
    const axis = new Float64Array(matrix.width);
    const value = values[i]!;
    // Equal means have no axis.
    if (value > 1e-12 * Math.max(1, values[0]!))
      mix.forEach((each, k) => addScaled(axis, each / Math.sqrt(value), solutions[k]!.weights));
    return axis;
  });
  return { axes, values: [...values.slice(0, count)], means };
}
