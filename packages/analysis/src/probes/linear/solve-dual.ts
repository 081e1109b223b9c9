import { conjugateGradients, type Precondition } from "./conjugate-gradients.ts";
import { factorShifted, largestEigenvalue, smallestEigenvalue, type KernelRows } from "./dual-kernel.ts";
import type { RowProducts } from "./row-products.ts";
import type { RowSpread } from "./row-spread.ts";
import type { SpreadSolution } from "./solve-spread.ts";
import { dot, product } from "./vectors.ts";

/** How far a factor may be from a system of another λ: the square root is about the number of rounds that it costs. */
const widestRatio = 16;

/** Systems of the same rows and feature weights: min Σ v (y − x·w)² + λ Σ w²/s², the rows centred. */
export interface DualFamily {
  readonly spread: RowSpread;
  /** s² of each feature: 1 of an unscaled penalty. */
  readonly shares: Float64Array;
  /** Ascending. */
  readonly lambdas: readonly number[];
  /** Centred and weighed by √v, `[targets][rows]`. */
  readonly targets: readonly Float64Array[];
  /** The kernel of the family's rows, which is wanted only while its factors are made. */
  kernel(): Promise<KernelRows>;
}

interface DualSystem {
  readonly family: DualFamily;
  readonly lambda: number;
  readonly target: Float64Array;
  readonly precondition: Precondition;
}

/**
 * Solves (√v·Xc·S²·Xcᵀ·√v + λ)·α = √v·yc for every λ and target of each family, in the space of the rows, and gives w = S²·Xcᵀ·√v·α:
 * `[family][lambda][target]`. One factor of a family's kernel serves all λ near it, as a preconditioner: the solution rests on
 * products with the rows themselves.
 */
export async function solveDual(
  products: RowProducts,
  families: readonly DualFamily[],
): Promise<SpreadSolution[][][]> {
  const systems: DualSystem[] = [];
  for (const family of families) {
    const preconditions = preconditionersOf(family.lambdas, await family.kernel());
    family.lambdas.forEach((lambda, l) => {
      for (const target of family.targets)
        systems.push({ family, lambda, target, precondition: preconditions[l]! });
    });
  }
  const weightsOf = async (at: readonly number[], vectors: readonly Float64Array[]) => {
    const sums = await products.gather(
      vectors.map((vector, i) => spreadOut(systems[at[i]!]!.family.spread, vector)),
    );
    return sums.map((sum, i) => product(sum, systems[at[i]!]!.family.shares));
  };
  const apply = async (at: readonly number[], vectors: readonly Float64Array[]) => {
    const scores = await products.scores(await weightsOf(at, vectors));
    return scores.map((each, i) => {
      const { family, lambda } = systems[at[i]!]!;
      const image = weighedCentred(family.spread, each);
      return image.map((value, row) => value + lambda * vectors[i]![row]!);
    });
  };
  const solutions = await conjugateGradients(systems, apply, products.exact);
  const weights = await weightsOf(
    solutions.map((_, at) => at),
    solutions.map(({ solution }) => solution),
  );
  let at = 0;
  return families.map(({ lambdas, targets }) =>
    lambdas.map(() =>
      targets.map(() => {
        const { converged, iterations, residualNorm } = solutions[at]!;
        return { weights: weights[at++]!, converged, iterations, gradientNorm: residualNorm };
      }),
    ),
  );
}

/** √v · (value − weighted mean), `[rows]`. */
export function weighedCentred({ weights, total }: RowSpread, values: ArrayLike<number>): Float64Array {
  const mean = dot(weights, values) / total;
  return weights.map((weight, row) => (weight === 0 ? 0 : Math.sqrt(weight) * (values[row]! - mean)));
}

/** The transpose of centring and weighing: √v · α less v times its share. */
function spreadOut({ weights, total }: RowSpread, vector: Float64Array): Float64Array {
  const out = weights.map((weight, row) => (weight === 0 ? 0 : Math.sqrt(weight) * vector[row]!));
  const share = out.reduce((sum, value) => sum + value, 0) / total;
  return out.map((value, row) => value - share * weights[row]!);
}

/** A preconditioner for each λ: as few factors as keep every system near one. */
function preconditionersOf(lambdas: readonly number[], kernel: KernelRows): Precondition[] {
  const largest = largestEigenvalue(kernel);
  let made: { solve: Precondition; shift: number; smallest: number } | undefined;
  return lambdas.map((lambda) => {
    const near = made ? (made.smallest + lambda) / (made.smallest + made.shift) : Infinity;
    const plain = (largest + lambda) / lambda;
    // Far above the kernel, λ alone is all there is.
    if (plain <= Math.min(near, widestRatio))
      return (residuals) => residuals.map((each) => each.map((r) => r / lambda));
    if (!made || near > widestRatio) {
      const { factor, shift } = factorShifted(kernel, lambda);
      const smallest = Math.max(0, smallestEigenvalue(kernel, factor) - shift);
      made = { shift, smallest, solve: (residuals) => kernel.solve(factor, residuals) };
    }
    return made.solve;
  });
}
