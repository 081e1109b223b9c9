/** What standardises a feature: computed from training rows only. */
export interface StandardMoments {
  readonly mean: Float64Array;
  /** 1 / standard deviation (the population one, as scikit-learn's StandardScaler); 0 for a feature that is constant. */
  readonly inverse: Float64Array;
}

/**
 * Moments of the rows of `values` (`[rows, width]`), each as often as `weights` says (marks of 1 and 0, or weights; once when left out),
 * in float64, in two passes.
 */
export function standardMoments(
  values: Float32Array,
  width: number,
  weights?: ArrayLike<number>,
): StandardMoments {
  const rows = values.length / width;
  const mean = new Float64Array(width);
  const inverse = new Float64Array(width);
  let n = 0;
  for (let row = 0; row < rows; row++) {
    const weight = weights ? weights[row]! : 1;
    if (weight === 0) continue;
    n += weight;
    const start = row * width;
    for (let j = 0; j < width; j++) mean[j]! += weight * values[start + j]!;
  }
  for (let j = 0; j < width; j++) mean[j]! /= n;
  for (let row = 0; row < rows; row++) {
    const weight = weights ? weights[row]! : 1;
    if (weight === 0) continue;
    const start = row * width;
    for (let j = 0; j < width; j++) inverse[j]! += weight * (values[start + j]! - mean[j]!) ** 2;
  }
  for (let j = 0; j < width; j++) {
    const variance = inverse[j]! / n;
    // Rounding of a constant feature's mean leaves a variance of about (2⁻⁵³ · mean)².
    inverse[j] = variance > 1e-28 * mean[j]! ** 2 ? 1 / Math.sqrt(variance) : 0;
  }
  return { mean, inverse };
}
