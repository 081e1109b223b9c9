import { ProbeError } from "../probe-error.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { ledoitWolfShrinkage } from "./ledoit-wolf.ts";
import { rowSpread, spreadMoments, type RowSpread } from "./row-spread.ts";

/** "auto": by Ledoit and Wolf, of each class's features standardised; a number: that share of the mean variance. */
export type Shrinkage = "auto" | number;

/** Σ = diagonal + covariance within the classes: the shrunk covariance of each class, weighed by its share of the rows. */
export interface ShrunkCovariance {
  readonly diagonal: Float64Array;
  /** The diagonal of Σ. */
  readonly variance: Float64Array;
  readonly spread: RowSpread;
  /** Of each class, in the matrix's own features. */
  readonly means: readonly Float64Array[];
  /** Rows of each class. */
  readonly counts: Float64Array;
}

/**
 * The covariance of scikit-learn's LinearDiscriminantAnalysis(solver="lsqr"): with "auto" each class is standardised by itself, shrunk,
 * and scaled back, so that what is added to the covariance is a diagonal. `classes` is the spread of the training rows by class, each row
 * of weight 1. Throws ProbeError.
 */
export async function shrunkCovariance(
  matrix: ProbeMatrix,
  classes: RowSpread,
  shrinkage: Shrinkage,
): Promise<ShrunkCovariance> {
  const { values, width } = matrix;
  const n = classes.total;
  const moments = spreadMoments(classes, values, width);
  const [diagonal, within] = [new Float64Array(width), new Float64Array(width)];
  const shares = new Float64Array(classes.classes);
  for (let k = 0; k < classes.classes; k++) {
    const { mean, variance } = moments[k]!;
    const prior = classes.totals[k]! / n;
    const scales = variance.map((each) => (each > 0 ? Math.sqrt(each) : 1));
    const own =
      shrinkage === "auto"
        ? await ledoitWolfShrinkage(standardised(matrix, classes, k, mean, scales), width)
        : shrinkage;
    const level =
      shrinkage === "auto"
        ? variance.reduce((sum, each) => sum + Number(each > 0), 0) / width
        : variance.reduce((sum, each) => sum + each, 0) / width;
    for (let j = 0; j < width; j++) {
      within[j]! += prior * (1 - own) * variance[j]!;
      diagonal[j]! += prior * own * level * (shrinkage === "auto" ? scales[j]! ** 2 : 1);
    }
    shares[k] = (1 - own) / n;
  }
  const weights = classes.weights.map((weight, row) => weight * shares[classes.classOf[row]!]!);
  return {
    diagonal,
    variance: diagonal.map((each, j) => each + within[j]!),
    spread: rowSpread(weights, classes.classOf, classes.classes),
    means: moments.map(({ mean }) => mean),
    counts: classes.totals,
  };
}

/** The rows of class k less its mean, over its standard deviations. */
function standardised(
  { values, width }: ProbeMatrix,
  { weights, classOf, totals }: RowSpread,
  k: number,
  mean: Float64Array,
  scales: Float64Array,
): Float32Array {
  const scaled = new Float32Array(totals[k]! * width);
  const inverse = scales.map((each) => 1 / each);
  let to = 0;
  for (let row = 0; row < weights.length; row++) {
    if (weights[row] === 0 || classOf[row] !== k) continue;
    for (let j = 0, at = row * width; j < width; j++) scaled[to++] = (values[at++]! - mean[j]!) * inverse[j]!;
  }
  return scaled;
}

/** Throws ProbeError `bad_option` for rows that are there other than once or not at all. */
export function refuseWeights(name: string, weights: ArrayLike<number> | null | undefined): void {
  if (!weights || Array.from(weights).every((weight) => weight === 0 || weight === 1)) return;
  throw new ProbeError(
    "bad_option",
    `The probe ${name} takes no row weights other than 0 and 1: its shrinkage is defined for rows that count once.`,
  );
}
