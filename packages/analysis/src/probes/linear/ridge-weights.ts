import { exactRowProducts, type RowProducts } from "./row-products.ts";
import type { RowSpread } from "./row-spread.ts";
import { ridgeSpaces, type RidgeSpace } from "./ridge-space.ts";
import { lowestLevel, shiftedSystems, type ShiftedSystems } from "./shifted-systems.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

interface RidgeProblem {
  /** The training rows and the numbers of each column. */
  readonly spreads: readonly RowSpread[];
  readonly targets: readonly ArrayLike<number>[];
  /** Ascending. */
  readonly lambdas: readonly number[];
  readonly standardise: boolean;
}

export interface RidgeSolution {
  readonly weights: Float64Array;
  /** Of all rows, without the bias. */
  readonly scores: ArrayLike<number>;
  readonly converged: boolean;
  readonly iterations: number;
  /** Norm of what the solution leaves of the right side of its system. */
  readonly gradientNorm: number;
}

const maxRounds = 5;
/** A solution is done when it leaves less than this share of its right side … */
const goals = { exact: 1e-11, float32: 5e-5, mended: 1e-6 };
/** … and still counts when rounding lets it come no closer than this. */
const enough = 1e-4;

interface System {
  readonly family: number;
  readonly column: number;
  readonly lambda: number;
  readonly right: Float64Array;
  vector: Float64Array;
  weights: Float64Array;
  scores: ArrayLike<number>;
  left: Float64Array;
  share: number;
  rounds: number;
}

/**
 * The weights of every λ and column, `[lambda][column]`: one Gram matrix of the smaller of rows and features for the columns of the same
 * training rows, and few factors. What float32 leaves is measured by products with the rows, and solved for again.
 */
export async function ridgeWeights(
  products: RowProducts,
  { spreads, targets, lambdas, standardise }: RidgeProblem,
): Promise<RidgeSolution[][]> {
  const { width } = products.matrix;
  const distinct = [...new Set(spreads)];
  const spaces = distinct.map(ridgeSpaces(products, standardise));
  const rights = await rightsOf(products, spaces, { spreads, targets, distinct });
  const systems = lambdas.flatMap((lambda) =>
    rights.map((right, column): System => {
      const start = { vector: new Float64Array(right.length), weights: new Float64Array(width), scores: [] };
      const family = distinct.indexOf(spreads[column]!);
      return { family, column, lambda, right, left: right, share: Infinity, rounds: 0, ...start };
    }),
  );
  const problem = { lambdas, targets };
  await improve({ products, spaces, ...problem }, systems, products.exact ? goals.exact : goals.float32);
  const missed = systems.filter(({ share }) => share > enough);
  if (!products.exact && missed.length > 0) {
    const exact = exactRowProducts(products.matrix);
    const parts = { products: exact, spaces: distinct.map(ridgeSpaces(exact, standardise)), ...problem };
    // What float32 products see of so small a rest may be their own rounding.
    await measure(parts, missed);
    await improve(
      parts,
      missed.filter(({ share }) => share > enough),
      goals.mended,
    );
  }
  return lambdas.map((_, l) =>
    spreads.map((_spread, k) => {
      const { weights, scores, share, rounds, left } = systems[l * spreads.length + k]!;
      return { weights, scores, converged: share <= enough, iterations: rounds, gradientNorm: norm(left) };
    }),
  );
}

interface Parts {
  readonly products: RowProducts;
  /** Of each family, whose kernel is as exact as the products. */
  readonly spaces: readonly RidgeSpace[];
  readonly lambdas: readonly number[];
  readonly targets: readonly ArrayLike<number>[];
}

/** Solves for what the systems leave, until it is below the share `goal` of their right sides or gets no smaller. */
async function improve(parts: Parts, systems: readonly System[], goal: number): Promise<void> {
  const solvers = new Map<number, ShiftedSystems>();
  // Of the first family: those of others are about the same, and nothing rests on it but the time.
  let level = parts.lambdas.length > 1 ? undefined : 0;
  for (const family of new Set(systems.map((system) => system.family))) {
    const kernel = await parts.spaces[family]!.kernel();
    solvers.set(family, shiftedSystems(kernel, parts.lambdas, (level ??= lowestLevel(kernel))));
  }
  let open = systems;
  for (let round = 0; round < maxRounds && open.length > 0; round++) {
    for (const [f, solver] of solvers) {
      const own = open.filter(({ family }) => family === f);
      const asked = own.map(({ left, lambda }) => ({ right: left, lambda }));
      const steps = solver.solve(asked, own[0]?.rounds === 0 ? goal / 10 : 1e-2);
      own.forEach(({ vector }, i) => addScaled(vector, 1, steps[i]!));
    }
    const before = open.map(({ share }) => share);
    await measure(parts, open);
    open = open.filter((system, i) => system.share > goal && system.share < before[i]! / 2);
  }
}

async function rightsOf(
  products: RowProducts,
  families: readonly RidgeSpace[],
  parts: {
    spreads: readonly RowSpread[];
    targets: readonly ArrayLike<number>[];
    distinct: readonly RowSpread[];
  },
): Promise<Float64Array[]> {
  const { spreads, targets, distinct } = parts;
  const rights = new Array<Float64Array>(spreads.length);
  for (const [f, family] of families.entries()) {
    const own = [...spreads.keys()].filter((k) => spreads[k] === distinct[f]);
    (
      await family.rights(
        products,
        own.map((k) => targets[k]!),
      )
    ).forEach((right, i) => (rights[own[i]!] = right));
  }
  return rights;
}

/** What each system's vector is as weights, how these score, and what they leave of the right side. */
async function measure(
  { products, spaces: families, targets }: Parts,
  systems: readonly System[],
): Promise<void> {
  for (const [f, family] of families.entries()) {
    const own = systems.filter((system) => system.family === f);
    const weights = await family.weights(
      products,
      own.map(({ vector }) => vector),
    );
    own.forEach((system, i) => (system.weights = weights[i]!));
  }
  const scores = await products.scores(systems.map(({ weights }) => weights));
  systems.forEach((system, i) => (system.scores = scores[i]!));
  for (const [f, family] of families.entries()) {
    const own = systems.filter((system) => system.family === f);
    const missed = own.map(({ column, scores: each }) =>
      Float64Array.from(targets[column]!, (target, row) => target - each[row]!),
    );
    const lefts = await family.rights(products, missed);
    own.forEach((system, i) => {
      system.left = lefts[i]!;
      addScaled(system.left, -system.lambda, system.vector);
      system.share = norm(system.left) / Math.max(norm(system.right), Number.MIN_VALUE);
      system.rounds++;
    });
  }
}

function norm(values: Float64Array): number {
  return Math.sqrt(dot(values, values));
}
