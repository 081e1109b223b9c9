import { ProbeError } from "../probes/probe-error.ts";
import { startKernels } from "./kernel/kernels.ts";
import { solveLanes } from "./solve-lanes.ts";

/** Columns that are solved for at once. */
const lanes = 4;

/** A symmetric positive definite matrix, factored as L · Lᵀ. */
export interface Cholesky {
  readonly size: number;
  /** x of matrix · x = `right` (`[size]`), in float64. */
  solve(right: ArrayLike<number>): Float64Array;
  /** The same for each of `rights`: four cost as much as one. */
  solveMany(rights: readonly ArrayLike<number>[]): Float64Array[];
  /** L⁻¹ · V for the rows V (`[size]` of any length): where the matrix is that of their products, they become orthonormal. */
  whiten(rows: readonly ArrayLike<number>[]): Float64Array[];
}

/**
 * Factors `matrix` (`[size, size]`, row-major; only the lower half is read) in float64, by WebAssembly on the CPU, whatever the
 * backend. Throws ProbeError `not_positive_definite`.
 */
export function cholesky(matrix: ArrayLike<number>, size: number): Cholesky {
  const kernels = startKernels();
  const padded = Math.ceil(size / 16) * 16;
  const factored = kernels.take(padded * padded * 8);
  const values = kernels.take(padded * lanes * 8);
  const scratch = kernels.take(16 * 16 * 8);
  const lines = kernels.doubles(factored, padded * padded);
  const lower = matrix instanceof Float64Array ? matrix : new Float64Array(matrix);
  for (let i = 0; i < size; i++) lines.set(lower.subarray(i * size, i * size + i + 1), i * padded);
  for (let i = size; i < padded; i++) lines[i * (padded + 1)] = 1;
  const failed = kernels.run.factorDouble(factored, padded, scratch);
  if (failed >= 0) throw notPositive(size, failed);
  const solveMany = (rights: readonly ArrayLike<number>[]): Float64Array[] => {
    const solved = rights.map(() => new Float64Array(size));
    const view = kernels.doubles(values, padded * lanes);
    solveLanes(rights, solved, { values: view, size, lanes }, () =>
      kernels.run.solveDouble(factored, padded, values),
    );
    return solved;
  };
  const whiten = (rows: readonly ArrayLike<number>[]): Float64Array[] => {
    const lower = kernels.doubles(factored, padded * padded);
    const whitened: Float64Array[] = [];
    for (const [i, row] of rows.entries()) {
      const own = Float64Array.from(row);
      for (let j = 0; j < i; j++) subtract(own, lower[i * padded + j]!, whitened[j]!);
      const pivot = lower[i * padded + i]!;
      for (let m = 0; m < own.length; m++) own[m]! /= pivot;
      whitened.push(own);
    }
    return whitened;
  };
  return { size, solveMany, whiten, solve: (right) => solveMany([right])[0]! };
}

function subtract(from: Float64Array, scale: number, values: Float64Array): void {
  for (let m = 0; m < from.length; m++) from[m]! -= scale * values[m]!;
}

function notPositive(size: number, at: number): ProbeError {
  return new ProbeError(
    "not_positive_definite",
    `A matrix of ${size} × ${size} is not positive definite (column ${at}): features that are sums of others need a penalty.`,
    { size, at },
  );
}
