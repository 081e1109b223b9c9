import type { ProbeColumn, TrainingRows } from "./probe.ts";
import { refuseOneClass } from "./probe-fit.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";
import { standardMoments } from "./standard-moments.ts";
import type { StandardMoments } from "./standard-moments.ts";

/**
 * One column on its way: `parameters` holds the weights of the standardised features and, last, the bias;
 * `scores` the row scores that they give (training rows and others).
 */
export class LogisticState {
  readonly included: Uint8Array;
  readonly labels: ArrayLike<number>;
  readonly moments: StandardMoments;
  readonly parameters: Float64Array;
  scores: Float64Array;

  constructor(column: ProbeColumn, moments: StandardMoments, rows: number) {
    const { positives, negatives } = refuseOneClass(column);
    this.included = column.training.included;
    this.labels = column.labels;
    this.moments = moments;
    this.parameters = new Float64Array(moments.mean.length + 1);
    const bias = Math.log(positives / negatives);
    this.parameters[moments.mean.length] = bias;
    this.scores = new Float64Array(rows).fill(bias);
  }

  get width(): number {
    return this.moments.mean.length;
  }

  /** Standardised parameters (or a step of them) as weights of the matrix's own features. */
  fold(parameters: Float64Array): Float64Array {
    const { inverse } = this.moments;
    const folded = new Float64Array(this.width);
    for (let j = 0; j < folded.length; j++) folded[j] = inverse[j]! * parameters[j]!;
    return folded;
  }

  /** The scalar that goes with `fold`: bias less what the means contribute. */
  foldedBias(parameters: Float64Array, folded: Float64Array): number {
    return parameters[this.width]! - dot(folded, this.moments.mean);
  }

  /** The reverse for a gradient: `sums` = Σ residual × row, `total` = Σ residual. */
  unfold(sums: ArrayLike<number>, total: number): Float64Array {
    const { mean, inverse } = this.moments;
    const gradient = new Float64Array(this.width + 1);
    for (let j = 0; j < this.width; j++) gradient[j] = inverse[j]! * (sums[j]! - mean[j]! * total);
    gradient[this.width] = total;
    return gradient;
  }

  /** C · Σ loss + ½‖w‖² at `scores + t · stepScores`, `parameters + t · step`, summed in float64. */
  objective(C: number, t = 0, stepScores?: Float64Array, step?: Float64Array): number {
    let loss = 0;
    for (let row = 0; row < this.scores.length; row++) {
      if (!this.included[row]) continue;
      const score = this.scores[row]! + (stepScores ? t * stepScores[row]! : 0);
      const margin = this.labels[row] ? score : -score;
      // log(1 + exp(−margin)) without overflow.
      loss += Math.log1p(Math.exp(-Math.abs(margin))) + Math.max(-margin, 0);
    }
    let penalty = 0;
    for (let j = 0; j < this.width; j++) penalty += (this.parameters[j]! + (step ? t * step[j]! : 0)) ** 2;
    return C * loss + penalty / 2;
  }

  /** Residual p − y and curvature p(1 − p) of each training row, 0 elsewhere. */
  residuals(): { residual: Float64Array; curvature: Float64Array } {
    const residual = new Float64Array(this.scores.length);
    const curvature = new Float64Array(this.scores.length);
    for (let row = 0; row < this.scores.length; row++) {
      if (!this.included[row]) continue;
      const small = Math.exp(-Math.abs(this.scores[row]!));
      const positive = this.scores[row]! > 0 ? 1 / (1 + small) : small / (1 + small);
      residual[row] = this.labels[row] ? positive - 1 : positive;
      curvature[row] = small / (1 + small) ** 2;
    }
    return { residual, curvature };
  }

  advance(t: number, step: Float64Array, stepScores: Float64Array): void {
    for (let j = 0; j <= this.width; j++) this.parameters[j]! += t * step[j]!;
    for (let row = 0; row < this.scores.length; row++) this.scores[row]! += t * stepScores[row]!;
  }

  /** What the fit looks like now, for the matrix's own features. */
  snapshot(): { weights: Float64Array; centeredBias: number; scores: Float64Array } {
    const weights = this.fold(this.parameters);
    return { weights, centeredBias: this.foldedBias(this.parameters, weights), scores: this.scores.slice() };
  }
}

/** States at weights 0 and the bias of the class shares; columns that share training rows share their moments. */
export function startLogistic(matrix: ProbeMatrix, columns: readonly ProbeColumn[]): LogisticState[] {
  const known = new Map<TrainingRows, StandardMoments>();
  return columns.map((column) => {
    let moments = known.get(column.training);
    if (!moments) {
      // Training rows only: a moment of a held-out row would leak it into the scaler.
      moments = standardMoments(matrix.values, matrix.width, column.training.included);
      known.set(column.training, moments);
    }
    return new LogisticState(column, moments, matrix.rows);
  });
}

/** Scores of each state's standardised parameters (or steps), in one product. */
export async function foldedScores(
  matrix: ProbeMatrix,
  states: readonly LogisticState[],
  parameters: readonly Float64Array[],
): Promise<Float64Array[]> {
  const folded = states.map((state, k) => state.fold(parameters[k]!));
  const products = await matrix.scores(folded);
  return products.map((product, k) => {
    const bias = states[k]!.foldedBias(parameters[k]!, folded[k]!);
    const scores = new Float64Array(product.length);
    for (let row = 0; row < scores.length; row++) scores[row] = product[row]! + bias;
    return scores;
  });
}

/** C · Σ residual × standardised row (+ penalty · parameters), for each state, in one product. */
export async function foldedGather(
  matrix: ProbeMatrix,
  states: readonly LogisticState[],
  residuals: readonly Float64Array[],
  C: number,
  penalised: readonly Float64Array[],
): Promise<Float64Array[]> {
  const sums = await matrix.gather([...residuals]);
  return states.map((state, k) => {
    const gradient = state.unfold(sums[k]!, sum(residuals[k]!));
    for (let j = 0; j <= state.width; j++) gradient[j]! *= C;
    for (let j = 0; j < state.width; j++) gradient[j]! += penalised[k]![j]!;
    return gradient;
  });
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}

export function sum(values: Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}
