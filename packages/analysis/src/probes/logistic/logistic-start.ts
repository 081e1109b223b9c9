import { Matrix, solve } from "ml-matrix";
import type { LogisticColumn, LogisticPoint } from "./logistic-column.ts";
import { objective } from "./logistic-loss.ts";

const maxSteps = 6;
/** Directions that differ by less than this share count as one. */
const parallelShare = 1e-6;

/**
 * Moves a column that stands at the optimum of one C to a good start for the next: the best point of the space that its position and
 * the last moves along the path span. Scores are linear, so no product is needed.
 */
export function extrapolate(column: LogisticColumn, past: readonly LogisticPoint[], C: number): void {
  const here = pointOf(column);
  const points = [here, ...past];
  const moves = past.map((_, i) => difference(points[i]!, points[i + 1]!));
  const basis = past.length > 0 ? [...moves, here] : [here];
  let value = objective(column, C);
  for (let step = 0; step < maxSteps; step++) {
    const before = value;
    value = stepAlong(column, basis, { lengths: newtonStep(column, basis, C), C, before });
    if (before - value <= 1e-4 * before) return;
  }
}

function difference(a: LogisticPoint, b: LogisticPoint): LogisticPoint {
  const weights = a.weights.slice();
  const scores = new Float32Array(a.scores.length);
  for (let j = 0; j < weights.length; j++) weights[j]! -= b.weights[j]!;
  for (let row = 0; row < scores.length; row++) scores[row] = a.scores[row]! - b.scores[row]!;
  return { weights, bias: a.bias - b.bias, scores };
}

/** A copy of where a column stands, to look back at. */
export function pointOf({ weights, bias, scores }: LogisticPoint): LogisticPoint {
  return { weights: weights.slice(), bias, scores: new Float32Array(scores) };
}

/** How far Newton's method goes along each vector of the basis. */
function newtonStep(column: LogisticColumn, basis: readonly LogisticPoint[], C: number): number[] {
  const { rows, labels, lossWeights, scores, weights } = column;
  const size = basis.length;
  const slopes = new Float64Array(size);
  const bends = Array.from({ length: size }, () => new Float64Array(size));
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const weight = C * (lossWeights ? lossWeights[row]! : 1);
    const positive = 1 / (1 + Math.exp(-scores[row]!));
    const residual = weight * (labels[row] ? positive - 1 : positive);
    const curvature = weight * positive * (1 - positive);
    for (let a = 0; a < size; a++) {
      const along = basis[a]!.scores[row]!;
      slopes[a]! += residual * along;
      for (let b = 0; b <= a; b++) bends[a]![b]! += curvature * along * basis[b]!.scores[row]!;
    }
  }
  for (let a = 0; a < size; a++) {
    for (let j = 0; j < weights.length; j++) {
      const weight = basis[a]!.weights[j]!;
      slopes[a]! += weights[j]! * weight;
      for (let b = 0; b <= a; b++) bends[a]![b]! += weight * basis[b]!.weights[j]!;
    }
  }
  const scales = bends.map((row, a) => 1 / Math.sqrt(row[a]! || 1));
  const scaled = new Matrix(size, size);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b <= a; b++) {
      const bend = bends[a]![b]! * scales[a]! * scales[b]!;
      // The moves of a path may be nearly parallel: lengths that cancel each other would lose the digits of what is left.
      scaled.set(a, b, a === b ? bend + parallelShare : bend);
      scaled.set(b, a, scaled.get(a, b));
    }
  }
  const right = Matrix.columnVector(slopes.map((slope, a) => -slope * scales[a]!));
  return solve(scaled, right, true)
    .to1DArray()
    .map((length, a) => length * scales[a]!);
}

/** Goes as far as lowers the objective, at most the whole way; the objective there. */
function stepAlong(
  column: LogisticColumn,
  basis: readonly LogisticPoint[],
  { lengths, C, before }: { lengths: readonly number[]; C: number; before: number },
): number {
  for (let share = 1; share > 0.1; share /= 2) {
    const tried = { ...column, weights: column.weights.slice(), scores: column.scores.slice() };
    basis.forEach((vector, k) => addTo(tried, vector, share * lengths[k]!));
    const value = objective(tried, C);
    if (!(value < before)) continue;
    column.weights = tried.weights;
    column.bias = tried.bias;
    column.scores = tried.scores;
    return value;
  }
  return before;
}

function addTo(column: LogisticColumn, vector: LogisticPoint, length: number): void {
  const { weights, scores } = column;
  for (let j = 0; j < weights.length; j++) weights[j]! += length * vector.weights[j]!;
  for (let row = 0; row < scores.length; row++) scores[row]! += length * vector.scores[row]!;
  column.bias += length * vector.bias;
}
