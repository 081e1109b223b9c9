import { cholesky } from "../../linalg/cholesky.ts";
import { rowGram } from "../convex/row-gram.ts";
import type { ConceptMoments } from "./concept-moments.ts";

/** Added to the covariance's diagonal, as a share of its mean, where it is singular: too little to show in float64 where it is not. */
const trace = 1e-10;

/**
 * Σ⁺ of the covariance of the rows times their cross-covariance with each class. With no more rows than features by the rows' Gram matrix
 * (Σ⁺ Xᵀz / (n − 1) = Xᵀ (X Xᵀ)⁺ z), else by the features' covariance. Shrunk: (α Σ + β I)⁻¹, the optimal linear shrinkage of
 * Bodnar, Gupta, Parolya (2014).
 */
export function inverseCovariance(
  moments: ConceptMoments,
  { shrinkage, cross }: { shrinkage: boolean; cross: readonly Float64Array[] },
): Float64Array[] {
  const kept = shrinkage ? undefined : moments.keptRows();
  if (kept) return byRows(kept, moments);
  const { width } = moments;
  const covariance = moments.covariance();
  if (shrinkage) shrink(covariance, moments);
  return solveScaled(covariance, width, cross);
}

/** The features are brought to variance 1 first: a factorisation of scales from 1e-4 to 1e4 would lose the small ones. */
function solveScaled(
  covariance: Float64Array,
  width: number,
  cross: readonly Float64Array[],
): Float64Array[] {
  const inverse = Float64Array.from({ length: width }, (_, j) => {
    const variance = covariance[j * width + j]!;
    return variance > 0 ? 1 / Math.sqrt(variance) : 0;
  });
  const scaled = covariance.map((value, at) => {
    const i = Math.floor(at / width);
    const j = at % width;
    return value * inverse[i]! * inverse[j]! + (i === j ? trace + (inverse[i] === 0 ? 1 : 0) : 0);
  });
  const factor = cholesky(scaled, width);
  return cross.map((vector) => {
    const solved = factor.solve(vector.map((value, j) => value * inverse[j]!));
    return solved.map((value, j) => value * inverse[j]!);
  });
}

function byRows(
  { values, classOf }: { values: Float64Array; classOf: Float64Array },
  { width, rows, counts }: ConceptMoments,
): Float64Array[] {
  const gram = rowGram(values, rows, width);
  let mean = 0;
  for (let i = 0; i < rows; i++) mean += gram[i * rows + i]! / rows;
  // Centred rows sum to zero: along that direction the Gram matrix is held up by a number of its own size, which changes no answer.
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < rows; k++) gram[i * rows + k]! += mean / rows;
    gram[i * rows + i]! += trace * mean;
  }
  const factor = cholesky(gram, rows);
  return counts.map((count, k) => {
    const solved = factor.solve(classOf.map((own) => (own === k ? 1 : 0) - count / rows));
    const answer = new Float64Array(width);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < width; j++) answer[j]! += solved[i]! * values[i * width + j]!;
    }
    return answer;
  });
}

/** α S + β I of S = Σ (row − mean)(row − mean)ᵀ / n, in place. */
function shrink(covariance: Float64Array, { width, rows }: ConceptMoments): void {
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < covariance.length; at++) {
    covariance[at]! *= (rows - 1) / rows;
    squares += covariance[at]! ** 2;
  }
  for (let j = 0; j < width; j++) sum += covariance[j * width + j]!;
  const isotropic = sum / width;
  const norm = width * isotropic ** 2;
  const product = isotropic * sum;
  const below = squares * norm - product ** 2;
  // A covariance that is a multiple of the identity stays what it is.
  const alpha = below > 0 ? 1 - (sum ** 2 * norm) / rows / below : 0;
  const beta = norm > 0 ? ((1 - alpha) * product) / norm : 0;
  for (let at = 0; at < covariance.length; at++) covariance[at]! *= alpha;
  for (let j = 0; j < width; j++) covariance[j * width + j]! += beta * isotropic;
}
