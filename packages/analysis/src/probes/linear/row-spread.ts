import { ProbeError } from "../probe-error.ts";
import type { ProbeColumn } from "../probe.ts";

/**
 * Which rows of a layer a covariance is of: Σ weight · (row − mean of its class)(row − mean of its class)ᵀ. One class is the usual
 * covariance, two are what is left within the classes.
 */
export interface RowSpread {
  /** `[rows]`: 0 leaves a row out. */
  readonly weights: Float64Array;
  /** `[rows]`: number of its class. */
  readonly classOf: ArrayLike<number>;
  readonly classes: number;
  /** Sum of the weights of each class, and of all. */
  readonly totals: Float64Array;
  readonly total: number;
}

export function rowSpread(weights: Float64Array, classOf?: ArrayLike<number>, classes = 1): RowSpread {
  const of = classOf ?? new Uint8Array(weights.length);
  const totals = new Float64Array(classes);
  weights.forEach((weight, row) => (weight === 0 ? 0 : (totals[of[row]!]! += weight)));
  return { weights, classOf: of, classes, totals, total: totals.reduce((sum, each) => sum + each, 0) };
}

/** Weighted mean of `values` (`[rows]`) in each class. */
export function classMeans(
  { weights, classOf, classes, totals }: RowSpread,
  values: ArrayLike<number>,
): Float64Array {
  const means = new Float64Array(classes);
  for (let row = 0; row < weights.length; row++) {
    if (weights[row] !== 0) means[classOf[row]!]! += weights[row]! * values[row]!;
  }
  return means.map((sum, k) => (totals[k]! > 0 ? sum / totals[k]! : 0));
}

/** weight · (value − mean of its class), `[rows]`: what `gather` turns into sums over centred rows. */
export function centredValues(spread: RowSpread, values: ArrayLike<number>): Float64Array {
  const means = classMeans(spread, values);
  const { weights, classOf } = spread;
  const centred = new Float64Array(weights.length);
  for (let row = 0; row < centred.length; row++) {
    const weight = weights[row]!;
    if (weight !== 0) centred[row] = weight * (values[row]! - means[classOf[row]!]!);
  }
  return centred;
}

/** The spread of a column's training rows as one class; columns with the same rows and weights share one. Throws ProbeError `no_rows`. */
export function trainingSpreads(columns: readonly ProbeColumn[]): RowSpread[] {
  const known = new Map<object, Map<object | undefined, RowSpread>>();
  return columns.map(({ training, weights }) => {
    const own = known.get(training) ?? new Map<object | undefined, RowSpread>();
    known.set(training, own);
    const spread =
      own.get(weights) ??
      rowSpread(Float64Array.from(training.included, (inside, row) => (inside ? (weights?.[row] ?? 1) : 0)));
    own.set(weights, spread);
    if (spread.total > 0) return spread;
    throw new ProbeError("no_rows", "A probe needs training rows: there is none, or all have weight 0.");
  });
}

/** Weighted mean and variance of each feature of `values` (`[rows, width]`) in each class, in float64 and two passes. */
export function spreadMoments(
  spread: RowSpread,
  values: Float32Array,
  width: number,
): { mean: Float64Array; variance: Float64Array }[] {
  const { weights, classOf, classes, totals } = spread;
  const mean = Array.from({ length: classes }, () => new Float64Array(width));
  const variance = Array.from({ length: classes }, () => new Float64Array(width));
  for (let row = 0; row < weights.length; row++) {
    const weight = weights[row]! / totals[classOf[row]!]!;
    if (!(weight > 0)) continue;
    const own = mean[classOf[row]!]!;
    for (let j = 0, at = row * width; j < width; j++) own[j]! += weight * values[at++]!;
  }
  for (let row = 0; row < weights.length; row++) {
    const weight = weights[row]! / totals[classOf[row]!]!;
    if (!(weight > 0)) continue;
    const [own, squares] = [mean[classOf[row]!]!, variance[classOf[row]!]!];
    for (let j = 0, at = row * width; j < width; j++) squares[j]! += weight * (values[at++]! - own[j]!) ** 2;
  }
  variance.forEach((own, k) => {
    // Rounding of a constant feature's mean leaves a variance of about (2⁻⁵³ · mean)².
    for (let j = 0; j < width; j++) if (own[j]! <= 1e-28 * mean[k]![j]! ** 2) own[j] = 0;
  });
  return Array.from({ length: classes }, (_, k) => ({ mean: mean[k]!, variance: variance[k]! }));
}
