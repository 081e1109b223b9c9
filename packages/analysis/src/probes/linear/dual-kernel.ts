import { cholesky, type Cholesky } from "../../linalg/cholesky.ts";
import { createRandom } from "../../statistics/random.ts";
import { ProbeError } from "../probe-error.ts";
import type { RowSpread } from "./row-spread.ts";
import { dot } from "./vectors.ts";

/** The centred kernel of a spread's rows, in float64 from float32 products. */
export interface KernelRows {
  readonly size: number;
  /** `[size, size]`, with the direction that centring took out at the level of the others. */
  readonly values: Float64Array;
  /** Of vectors of all rows: what solves for the spread's rows, 0 elsewhere. */
  solve(factor: Cholesky, residuals: readonly Float64Array[]): Float64Array[];
  /** Number of each of the spread's rows, and the direction that centring took out (a unit vector). */
  readonly rows: readonly number[];
  readonly empty: Float64Array;
}

/** √v · (K − means) · √v of the spread's rows of `gram` (`[rows, rows]`, its lower half), centred exactly. */
export function kernelRows(gram: ArrayLike<number>, { weights, total }: RowSpread): KernelRows {
  const all = weights.length;
  const rows = [...weights.keys()].filter((row) => weights[row]! > 0);
  const size = rows.length;
  const roots = Float64Array.from(rows, (row) => Math.sqrt(weights[row]!));
  const means = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const start = rows[i]! * all;
    const own = weights[rows[i]!]!;
    let sum = own * gram[start + rows[i]!]!;
    for (let k = 0; k < i; k++) {
      const value = gram[start + rows[k]!]!;
      sum += weights[rows[k]!]! * value;
      means[k]! += (own * value) / total;
    }
    means[i]! += sum / total;
  }
  const grand = means.reduce((sum, mean, i) => sum + weights[rows[i]!]! * mean, 0) / total;
  const values = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const start = rows[i]! * all;
    for (let k = 0; k <= i; k++) {
      const centred = gram[start + rows[k]!]! - means[i]! - means[k]! + grand;
      values[i * size + k] = values[k * size + i] = roots[i]! * roots[k]! * centred;
    }
  }
  let trace = 0;
  for (let i = 0; i < size; i++) trace += values[i * size + i]!;
  const empty = roots.map((root) => root / Math.sqrt(total));
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < size; k++) values[i * size + k]! += (trace / size) * empty[i]! * empty[k]!;
  }
  return {
    ...{ size, values, rows, empty },
    solve(factor, residuals) {
      const picked = residuals.map((residual) => Float64Array.from(rows, (row) => residual[row]!));
      return factor.solveMany(picked).map((inside) => {
        const solved = new Float64Array(all);
        rows.forEach((row, i) => (solved[row] = inside[i]!));
        return solved;
      });
    },
  };
}

/** The factor of kernel + shift, where the shift is λ, or more where float32 rounding has made the kernel indefinite. */
export function factorShifted(kernel: KernelRows, lambda: number): { factor: Cholesky; shift: number } {
  const { size, values } = kernel;
  let diagonal = 0;
  for (let i = 0; i < size; i++) diagonal = Math.max(diagonal, values[i * size + i]!);
  let shift = Math.max(lambda, 1e-6 * diagonal);
  for (let tries = 0; ; tries++) {
    const shifted = values.slice();
    for (let i = 0; i < size; i++) shifted[i * size + i]! += shift;
    try {
      return { factor: cholesky(shifted, size), shift };
    } catch (error) {
      if (!(error instanceof ProbeError) || tries === 4) throw error;
      shift *= 10;
    }
  }
}

/** About the smallest eigenvalue of the factored matrix off the direction that centring took out, by inverse iteration. */
export function smallestEigenvalue(kernel: KernelRows, factor: Cholesky): number {
  return 1 / iterated(kernel, (vector) => factor.solve(vector));
}

/** About the largest eigenvalue of the kernel. */
export function largestEigenvalue(kernel: KernelRows): number {
  const { size, values } = kernel;
  return iterated(kernel, (vector) => {
    const image = new Float64Array(size);
    for (let i = 0, at = 0; i < size; i++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += values[at++]! * vector[k]!;
      image[i] = sum;
    }
    return image;
  });
}

/** The largest eigenvalue of a symmetric map, about, by eight steps of power iteration. */
function iterated({ size, empty }: KernelRows, map: (vector: Float64Array) => Float64Array): number {
  const random = createRandom(0, "power iteration");
  let vector: Float64Array = Float64Array.from({ length: size }, () => random.gaussian());
  let value = 0;
  for (let step = 0; step < 8; step++) {
    const along = dot(vector, empty);
    vector = vector.map((each, i) => each - along * empty[i]!);
    const norm = Math.sqrt(dot(vector, vector));
    if (norm === 0) return 0;
    vector = vector.map((each) => each / norm);
    const image = map(vector);
    value = dot(vector, image);
    vector = image;
  }
  return value;
}
