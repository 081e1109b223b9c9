import { sum } from "./logistic-state.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";
import { standardMoments } from "./standard-moments.ts";

/** Above this width a factor a Newton step costs more than the rounds that it saves. */
const widestFactor = 256;

/** An approximate inverse of the columns' Hessians: it shapes the way to the solution, not the solution. */
export interface LogisticPreconditioner {
  at(
    C: number,
    curvatures: readonly Float64Array[],
  ): (residual: Float64Array, column: number) => Float64Array;
}

/**
 * (C · w̄ · G + I)⁻¹ with G the Gram matrix of all standardised rows, one for all columns, and w̄ their mean curvature;
 * for wide layers only its diagonal.
 */
export async function logisticPreconditioner(matrix: ProbeMatrix): Promise<LogisticPreconditioner> {
  const { width, rows } = matrix;
  const gram = width <= widestFactor ? await standardGram(matrix) : undefined;
  return {
    at(C, curvatures) {
      const totals = curvatures.map(sum);
      const mean = sum(Float64Array.from(totals)) / totals.length;
      const factor = gram && cholesky(gram, width, (C * mean) / rows);
      return (residual, column) => {
        const total = Math.max(C * totals[column]!, Number.MIN_VALUE);
        const solved = factor ? solve(factor, width, residual) : residual.map((value) => value / (1 + total));
        // The bias has no penalty, and standardised features are orthogonal to it.
        solved[width] = residual[width]! / Math.max(total, 1e-12);
        return solved;
      };
    },
  };
}

async function standardGram(matrix: ProbeMatrix): Promise<Float64Array> {
  const { width, rows } = matrix;
  const { mean, inverse } = standardMoments(matrix.values, width);
  const raw = await matrix.gram();
  return Float64Array.from(raw, (value, at) => {
    const i = Math.floor(at / width);
    const j = at % width;
    return (value - rows * mean[i]! * mean[j]!) * inverse[i]! * inverse[j]!;
  });
}

/** The lower factor of scale · gram + I. */
function cholesky(gram: Float64Array, width: number, scale: number): Float64Array {
  const factor = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = scale * gram[i * width + j]! + (i === j ? 1 : 0);
      for (let m = 0; m < j; m++) sum -= factor[i * width + m]! * factor[j * width + m]!;
      // Never below 1 in exact arithmetic: the floor only guards against rounding.
      factor[i * width + j] = i === j ? Math.sqrt(Math.max(sum, 0.5)) : sum / factor[j * width + j]!;
    }
  }
  return factor;
}

function solve(factor: Float64Array, width: number, right: Float64Array): Float64Array {
  const solved = right.slice();
  for (let i = 0; i < width; i++) {
    let sum = solved[i]!;
    for (let j = 0; j < i; j++) sum -= factor[i * width + j]! * solved[j]!;
    solved[i] = sum / factor[i * width + i]!;
  }
  for (let i = width - 1; i >= 0; i--) {
    const value = (solved[i]! /= factor[i * width + i]!);
    for (let j = 0; j < i; j++) solved[j]! -= factor[i * width + j]! * value;
  }
  return solved;
}
