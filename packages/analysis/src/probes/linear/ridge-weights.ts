import { rowGram } from "../../linalg/row-gram.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { kernelRows, type KernelRows } from "./dual-kernel.ts";
import type { RowProducts } from "./row-products.ts";
import { centredValues, spreadMoments, type RowSpread } from "./row-spread.ts";
import { solveDual, weighedCentred, type DualFamily } from "./solve-dual.ts";
import { solveSpread, type SpreadSolution } from "./solve-spread.ts";
import { spreadPreconditioner } from "./spread-preconditioner.ts";

interface RidgeProblem {
  /** The training rows and the numbers of each column. */
  readonly spreads: readonly RowSpread[];
  readonly targets: readonly ArrayLike<number>[];
  /** Ascending. */
  readonly lambdas: readonly number[];
  readonly standardise: boolean;
}

/** The weights of every λ and column, `[lambda][column]`: in the space of the rows when they are fewer than the features. */
export async function ridgeWeights(
  products: RowProducts,
  problem: RidgeProblem,
): Promise<SpreadSolution[][]> {
  const { rows, width } = products.matrix;
  return rows <= width ? await inRowSpace(products, problem) : await inFeatureSpace(products, problem);
}

async function inFeatureSpace(products: RowProducts, problem: RidgeProblem): Promise<SpreadSolution[][]> {
  const { spreads, targets, lambdas, standardise } = problem;
  const preconditioner = await spreadPreconditioner(products);
  const rights = await products.gather(spreads.map((spread, k) => centredValues(spread, targets[k]!)));
  const variances = byTraining(spreads, (spread) => penaltyWeights(products.matrix, spread, standardise));
  const diagonals = lambdas.map((lambda) => {
    const known = new Map<Float64Array, Float64Array>();
    return variances.map((own) => {
      const made = known.get(own) ?? own.map((each) => lambda * each);
      known.set(own, made);
      return made;
    });
  });
  const systems = lambdas.flatMap((_, l) =>
    spreads.map((spread, k) => ({
      spread,
      diagonal: diagonals[l]![k]!,
      right: Float64Array.from(rights[k]!),
    })),
  );
  const solutions = await solveSpread(products, preconditioner, systems);
  return lambdas.map((_, l) => solutions.slice(l * spreads.length, (l + 1) * spreads.length));
}

async function inRowSpace(products: RowProducts, problem: RidgeProblem): Promise<SpreadSolution[][]> {
  const { spreads, targets, lambdas, standardise } = problem;
  const { matrix } = products;
  const { values, width } = matrix;
  // One Gram matrix of all rows serves every training set, unless each has its own scale of the features.
  const shared = standardise ? undefined : rowGram(values, width);
  const members = new Map<RowSpread, number[]>();
  spreads.forEach((spread, k) => members.set(spread, [...(members.get(spread) ?? []), k]));
  const families = [...members].map(([spread, own]): DualFamily => {
    const shares = penaltyWeights(matrix, spread, standardise).map((weight) => 1 / weight);
    const kernel = async (): Promise<KernelRows> =>
      kernelRows(await (shared ?? rowGram(scaled(values, width, shares), width)), spread);
    return { spread, shares, lambdas, kernel, targets: own.map((k) => weighedCentred(spread, targets[k]!)) };
  });
  const solved = await solveDual(products, families);
  const found = lambdas.map(() => new Array<SpreadSolution>(spreads.length));
  [...members.values()].forEach((own, f) => {
    lambdas.forEach((_, l) => own.forEach((k, i) => (found[l]![k] = solved[f]![l]![i]!)));
  });
  return found;
}

/** What multiplies each squared weight in the penalty: 1, or the variance that standardising divides by (1 of a constant feature, which gets no weight). */
function penaltyWeights(matrix: ProbeMatrix, spread: RowSpread, standardise: boolean): Float64Array {
  if (!standardise) return new Float64Array(matrix.width).fill(1);
  const { variance } = spreadMoments(spread, matrix.values, matrix.width)[0]!;
  return variance.map((each) => (each > 0 ? each : 1));
}

/** Once for each training set, in the order of the columns. */
function byTraining<T>(spreads: readonly RowSpread[], make: (spread: RowSpread) => T): T[] {
  const known = new Map<RowSpread, T>();
  return spreads.map((spread) => {
    const made = known.get(spread) ?? make(spread);
    known.set(spread, made);
    return made;
  });
}

function scaled(values: Float32Array, width: number, shares: Float64Array): Float32Array {
  const roots = shares.map(Math.sqrt);
  return values.map((value, at) => value * roots[at % width]!);
}
