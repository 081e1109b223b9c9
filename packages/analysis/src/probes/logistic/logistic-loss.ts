import { squares } from "../../linalg/vectors.ts";
import type { LogisticColumn, LogisticPoint } from "./logistic-column.ts";

/** C · Σ loss + ½‖w‖² where the column stands, summed in float64. */
export function objective(column: LogisticColumn, C: number): number {
  const { rows, labels, lossWeights, scores, weights } = column;
  let loss = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const margin = labels[row] ? scores[row]! : -scores[row]!;
    // log(1 + exp(−margin)) without overflow.
    const own = Math.log1p(Math.exp(-Math.abs(margin))) + Math.max(-margin, 0);
    loss += lossWeights ? lossWeights[row]! * own : own;
  }
  return C * loss + squares(weights) / 2;
}

/** Residuals p − y of training rows (0 elsewhere), their sum, and the sum of curvatures p(1 − p); all times the rows' weights. */
export interface Residuals {
  readonly values: Float32Array;
  readonly total: number;
  readonly curvature: number;
}

/** Residuals where the column stands, written over `values`. */
export function residualsAt(column: LogisticColumn, values: Float32Array): Residuals {
  const { rows, labels, lossWeights, scores } = column;
  let total = 0;
  let curvature = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const weight = lossWeights ? lossWeights[row]! : 1;
    const score = scores[row]!;
    // The smaller of p and 1 − p, so that it keeps its digits in a row that is right by far.
    const odds = Math.exp(-Math.abs(score));
    const small = odds / (1 + odds);
    const residual =
      weight * (labels[row] ? (score > 0 ? -small : small - 1) : score > 0 ? 1 - small : small);
    values[row] = residual;
    total += residual;
    curvature += weight * small * (1 - small);
  }
  return { values, total, curvature };
}

/**
 * First and second derivative of the objective along a move, at `t` of it. Scores are linear in the move, so no product is
 * needed.
 */
export function slopeAlong(
  column: LogisticColumn,
  { C, move, t }: { C: number; move: LogisticPoint; t: number },
): { slope: number; bend: number } {
  const { rows, labels, lossWeights, scores, weights } = column;
  let slope = 0;
  let bend = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const along = move.scores[row]!;
    const positive = 1 / (1 + Math.exp(-(scores[row]! + t * along)));
    const pull = lossWeights ? lossWeights[row]! * along : along;
    slope += (labels[row] ? positive - 1 : positive) * pull;
    bend += positive * (1 - positive) * pull * along;
  }
  let straight = 0;
  let length = 0;
  for (let j = 0; j < weights.length; j++) {
    straight += weights[j]! * move.weights[j]!;
    length += move.weights[j]! ** 2;
  }
  return { slope: C * slope + straight + t * length, bend: C * bend + length };
}
