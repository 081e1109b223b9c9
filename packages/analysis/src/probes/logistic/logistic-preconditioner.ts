import type { ProbeMatrix } from "../probe-matrix.ts";
import { gramPreconditioner } from "./gram-preconditioner.ts";
import { lowRankPreconditioner } from "./low-rank-preconditioner.ts";

/** Above this width a factor costs more than the products that it saves. */
const widestFactor = 1024;

/** What a preconditioner looks at: the sum of curvatures of a column's training rows. */
interface Curved {
  readonly curvature: number;
}

/** An approximate inverse of the columns' Hessians: it shapes the way to the solution, not the solution. */
export interface LogisticPreconditioner {
  /** Looks at the curvatures with which columns start at `C`. */
  prepare(C: number, columns: readonly Curved[]): void;
  /** Writes over the vector of each column (`[width + 1]`: weights and, last, the bias). */
  apply(vectors: readonly Float64Array[], columns: readonly Curved[]): void | Promise<void>;
  dispose(): void;
}

/** One for all columns of a layer, from what features have in common over all of its rows. */
export async function logisticPreconditioner(matrix: ProbeMatrix): Promise<LogisticPreconditioner> {
  return matrix.width <= widestFactor
    ? await gramPreconditioner(matrix)
    : await lowRankPreconditioner(matrix);
}

export function meanCurvature(columns: readonly Curved[]): number {
  return columns.reduce((sum, { curvature }) => sum + curvature, 0) / columns.length;
}

/** How the objective curves in the bias, which has no penalty; standardised features are orthogonal to it. */
export function biasCurvature(C: number, { curvature }: Curved): number {
  return Math.max(C * curvature, 1e-12);
}
