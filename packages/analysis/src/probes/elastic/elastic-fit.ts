import { logLoss } from "../convex/binary-loss.ts";
import type { ConvexFit } from "../convex/convex-fit.ts";
import type { ProbeColumn } from "../probe.ts";
import { total } from "../../linalg/vectors.ts";

/** The strength and shape of the penalty: C · Σ loss + ratio · Σ|w| + (1 − ratio)/2 · Σw². */
export interface ElasticPenalty {
  readonly C: number;
  readonly ratio: number;
}

export function elasticObjective(
  fit: ConvexFit,
  { C, ratio }: ElasticPenalty,
  parameters = fit.parameters,
  scores: readonly Float64Array[] = fit.scores,
): number {
  let size = 0;
  for (let j = 0; j < fit.width; j++) size += Math.abs(parameters[j]!);
  return C * fit.loss.at(scores) + ratio * size + (1 - ratio) * fit.halfSquares(parameters);
}

/** C · derivative of the loss by each parameter, + (1 − ratio) · w: the smooth part of the objective. */
export function smoothGradient(
  fit: ConvexFit,
  { C, ratio }: ElasticPenalty,
  gathered: Float64Array,
): Float64Array {
  return gathered.map((value, j) => C * value + (j === fit.width ? 0 : (1 - ratio) * fit.parameters[j]!));
}

/** Sets the bias to its best for the weights as they are (Newton's method on one number), so that the slopes sum to zero. */
export function settleBias(fit: ConvexFit): void {
  for (let round = 0; round < 50; round++) {
    const slope = total(fit.loss.slopes(fit.scores)[0]!);
    const held = fit.loss.curve(fit.scores).totals[0]!;
    if (!(held > 0)) return;
    // Newton's step on log loss can overshoot far out; no bias worth having is a step of more than 2 away.
    const step = Math.max(-2, Math.min(2, -slope / held));
    fit.parameters[fit.width]! += step;
    fit.scores = [fit.scores[0]!.map((score) => score + step)];
    if (Math.abs(step) < 1e-12 * Math.max(1, Math.abs(fit.parameters[fit.width]!))) return;
  }
}

/**
 * What is left to gain at most: the objective less that of the dual point made of the slopes (shrunk, for a pure L1 penalty, until it
 * is allowed). `pull` is C · Σ slope × standardised row. Needs a settled bias.
 */
export function dualityGap(
  fit: ConvexFit,
  column: ProbeColumn,
  { C, ratio }: ElasticPenalty,
  pull: Float64Array,
): number {
  let steepest = 0;
  for (let j = 0; j < fit.width; j++) steepest = Math.max(steepest, Math.abs(pull[j]!));
  const shrink = ratio === 1 && steepest > 1 ? 1 / steepest : 1;
  let conjugate = 0;
  if (ratio < 1) {
    for (let j = 0; j < fit.width; j++) {
      conjugate += Math.max(Math.abs(pull[j]!) - ratio, 0) ** 2 / (2 * (1 - ratio));
    }
  }
  const { training, labels, weights } = column;
  const scores = fit.scores[0]!;
  let entropy = 0;
  for (let row = 0; row < scores.length; row++) {
    if (!training.included[row]) continue;
    // The share of the other class that the dual point gives the row.
    const other = -shrink * logLoss.slope(labels[row] ? scores[row]! : -scores[row]!);
    entropy += (weights ? weights[row]! : 1) * (xlogx(other) + xlogx(1 - other));
  }
  return elasticObjective(fit, { C, ratio }) + C * entropy + conjugate;
}

function xlogx(x: number): number {
  return x > 0 ? x * Math.log(x) : 0;
}

/** The number nearer to zero by `by`, and 0 where that would pass it. */
export function shrunk(value: number, by: number): number {
  return Math.sign(value) * Math.max(Math.abs(value) - by, 0);
}

/** The subgradient of least norm: where a weight is zero, the penalty takes up to `ratio` of the pull. */
export function leastGradient(fit: ConvexFit, gradient: Float64Array, ratio: number): Float64Array {
  return gradient.map((value, j) => {
    if (j === fit.width) return value;
    const weight = fit.parameters[j]!;
    return weight !== 0 ? value + ratio * Math.sign(weight) : shrunk(value, ratio);
  });
}
