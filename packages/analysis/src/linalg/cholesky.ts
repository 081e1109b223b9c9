import { ProbeError } from "../probes/probe-error.ts";

/** A symmetric positive definite matrix, factored as L · Lᵀ. */
export interface Cholesky {
  readonly size: number;
  /** x of matrix · x = `right` (`[size]`), in float64. */
  solve(right: ArrayLike<number>): Float64Array;
}

/** Factors `matrix` (`[size, size]`, row-major; only the lower half is read) in float64. Throws ProbeError `not_positive_definite`. */
export function cholesky(matrix: ArrayLike<number>, size: number): Cholesky {
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const row = i * size;
    for (let j = 0; j <= i; j++) {
      const other = j * size;
      let sum = matrix[row + j]!;
      for (let m = 0; m < j; m++) sum -= factor[row + m]! * factor[other + m]!;
      if (i !== j) factor[row + j] = sum / factor[other + j]!;
      else if (sum > 0) factor[row + j] = Math.sqrt(sum);
      else throw notPositive(size, i, sum);
    }
  }
  return { size, solve: (right) => solve(factor, size, right) };
}

function notPositive(size: number, at: number, pivot: number): ProbeError {
  return new ProbeError(
    "not_positive_definite",
    `A matrix of ${size} × ${size} is not positive definite (pivot ${at} is ${pivot}): features that are sums of others need a penalty.`,
    { size, at, pivot },
  );
}

function solve(factor: Float64Array, size: number, right: ArrayLike<number>): Float64Array {
  const solved = Float64Array.from(right);
  for (let i = 0; i < size; i++) {
    let sum = solved[i]!;
    for (let j = 0; j < i; j++) sum -= factor[i * size + j]! * solved[j]!;
    solved[i] = sum / factor[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    const value = (solved[i]! /= factor[i * size + i]!);
    for (let j = 0; j < i; j++) solved[j]! -= factor[i * size + j]! * value;
  }
  return solved;
}
