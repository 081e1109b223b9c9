import { conjugateGradients } from "./conjugate-gradients.ts";
import type { RowProducts } from "./row-products.ts";
import { centredValues, type RowSpread } from "./row-spread.ts";
import type { SpreadPreconditioner } from "./spread-preconditioner.ts";
import { product } from "./vectors.ts";

/** (diagonal + covariance) · w = right, the covariance that of a spread of the matrix's rows. */
export interface SpreadSystem {
  readonly spread: RowSpread;
  /** `[width]`, ≥ 0. Systems of the same one share what is computed of it. */
  readonly diagonal: Float64Array;
  readonly right: Float64Array;
}

export interface SpreadSolution {
  readonly weights: Float64Array;
  readonly converged: boolean;
  readonly iterations: number;
  /** Norm of right − (diagonal + covariance) · w, in the scaled features. */
  readonly gradientNorm: number;
}

/**
 * Solves all systems at once in the space of the features, two products with the layer's rows a round for all columns still at work. No
 * matrix of width × width or rows × rows is made but the preconditioner's.
 */
export async function solveSpread(
  products: RowProducts,
  preconditioner: SpreadPreconditioner,
  systems: readonly SpreadSystem[],
): Promise<SpreadSolution[]> {
  const { scale } = preconditioner;
  const scaled = systems.map(({ right, diagonal, spread }) => ({
    target: product(right, scale),
    precondition: preconditioner.of(diagonal, spread.total),
  }));
  const apply = async (at: readonly number[], vectors: readonly Float64Array[]) => {
    const scores = await products.scores(vectors.map((vector) => product(vector, scale)));
    const sums = await products.gather(scores.map((each, i) => centredValues(systems[at[i]!]!.spread, each)));
    return sums.map((each, i) => {
      const { diagonal } = systems[at[i]!]!;
      const vector = vectors[i]!;
      return scale.map((own, j) => own * (each[j]! + diagonal[j]! * own * vector[j]!));
    });
  };
  const solutions = await conjugateGradients(scaled, apply, products.exact);
  return solutions.map(({ solution, converged, iterations, residualNorm }) => ({
    weights: product(solution, scale),
    converged,
    iterations,
    gradientNorm: residualNorm,
  }));
}
