import type { ProbeColumn } from "../probe.ts";
import { refuseOneClass } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import type { StandardMoments } from "../standard-moments.ts";
import type { MomentRows } from "../training-moments.ts";

/** Where a column stands: weights of the standardised features, the bias, and the scores of all rows that they give. */
export interface LogisticPoint {
  readonly weights: Float64Array;
  readonly bias: number;
  readonly scores: Float64Array | Float32Array;
}

/** One fit on its way. */
export interface LogisticColumn extends LogisticPoint {
  /** Numbers of the training rows. */
  readonly rows: Uint32Array;
  readonly labels: ArrayLike<number>;
  /** Weight of each row's loss; all 1 when left out. */
  readonly lossWeights: Float64Array | undefined;
  readonly moments: StandardMoments;
  readonly hasBias: boolean;
  weights: Float64Array;
  bias: number;
  scores: Float64Array;
}

/** A column whose losses weigh other than its rows: with balanced classes, which are no rows to the scaler. */
export interface WeighedColumn extends ProbeColumn {
  /** Default: the rows' weights. */
  readonly lossWeights?: Float64Array;
}

/** Columns at weights 0 and the bias of the class shares; columns that share training rows and weights share their moments. */
export async function startColumns(
  matrix: ProbeMatrix,
  columns: readonly WeighedColumn[],
  hasBias: boolean,
): Promise<LogisticColumn[]> {
  const { sets, setOf } = momentSets(columns);
  columns.forEach(refuseOneClass);
  // Training rows only: a moment of a held-out row would leak it into the scaler.
  const moments = await matrix.moments(sets);
  const rows = sets.map(trainingRows);
  return columns.map((column, k) => {
    const set = setOf[k]!;
    const { training, labels, lossWeights = column.weights } = column;
    const { positives, negatives } = refuseOneClass({
      training,
      labels,
      ...(lossWeights && { weights: lossWeights }),
    });
    const bias = hasBias ? Math.log(positives / negatives) : 0;
    return {
      rows: rows[set]!,
      labels,
      lossWeights,
      moments: moments[set]!,
      hasBias,
      weights: new Float64Array(matrix.width),
      bias,
      scores: new Float64Array(matrix.rows).fill(bias),
    };
  });
}

/** The distinct training rows with their weights, and which of these each column has. */
function momentSets(columns: readonly ProbeColumn[]): { sets: MomentRows[]; setOf: number[] } {
  const sets: (MomentRows & Pick<ProbeColumn, "training">)[] = [];
  const setOf = columns.map(({ training, weights }) => {
    const known = sets.findIndex((set) => set.training === training && set.weights === weights);
    return known < 0 ? sets.push({ training, included: training.included, weights }) - 1 : known;
  });
  return { sets, setOf };
}

function trainingRows({ included, weights }: MomentRows): Uint32Array {
  const rows: number[] = [];
  included.forEach((inside, row) => inside && (weights?.[row] ?? 1) > 0 && rows.push(row));
  return Uint32Array.from(rows);
}

/** Weights of standardised features as weights of the matrix's own features, with the bias that goes with them. */
export function foldScaler(
  { mean, inverse }: StandardMoments,
  { weights, bias }: Pick<LogisticPoint, "weights" | "bias">,
): { weights: Float64Array; bias: number } {
  const folded = new Float64Array(weights.length);
  let shift = 0;
  for (let j = 0; j < folded.length; j++) {
    const weight = inverse[j]! * weights[j]!;
    folded[j] = weight;
    shift += weight * mean[j]!;
  }
  return { weights: folded, bias: bias - shift };
}

/** Scores of all rows at each column's weights and bias (or at a move of them), in one product. */
export async function columnScores(
  matrix: ProbeMatrix,
  columns: readonly LogisticColumn[],
  points: readonly Pick<LogisticPoint, "weights" | "bias">[],
): Promise<Float64Array[]> {
  const folded = columns.map(({ moments }, k) => foldScaler(moments, points[k]!));
  const products = await matrix.scores(folded.map(({ weights }) => weights));
  return products.map((product, k) => {
    const { bias } = folded[k]!;
    const scores = new Float64Array(product.length);
    for (let row = 0; row < scores.length; row++) scores[row] = product[row]! + bias;
    return scores;
  });
}

/** Σ residual × standardised row of each column (`[width]`), in one product; residuals are 0 outside of training rows. */
export async function columnGradients(
  matrix: ProbeMatrix,
  columns: readonly LogisticColumn[],
  residuals: readonly { values: Float32Array; total: number }[],
): Promise<Float64Array[]> {
  const sums = await matrix.gather(residuals.map(({ values }) => values));
  return columns.map(({ moments: { mean, inverse } }, k) => {
    const { total } = residuals[k]!;
    const gradient = new Float64Array(matrix.width);
    for (let j = 0; j < gradient.length; j++) gradient[j] = inverse[j]! * (sums[k]![j]! - mean[j]! * total);
    return gradient;
  });
}
