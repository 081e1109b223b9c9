import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFit, refuseOneClass } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { topVectors } from "./lanczos.ts";
import { rowProducts } from "./row-products.ts";
import { centredValues, rowSpread, trainingSpreads, type RowSpread } from "./row-spread.ts";

export interface PcaOptions {
  /** Of the start of the iteration (default 0). */
  seed?: number;
}

const optionsSchema = z.strictObject({ seed: z.int().min(0).default(0) });

/**
 * The first principal component of the training rows, labels unseen but for its sign: it points to the positive class. Bit-equal when
 * repeated. Throws InvalidRequestError.
 */
export function pca(options: PcaOptions = {}): Probe {
  const { seed } = checkOptions(optionsSchema, options, "pca options");
  const probe: Probe = {
    name: "pca",
    target: "classes",
    C: null,
    bias: "midpoint",
    formula:
      "w = first eigenvector of the covariance of all training rows, raw space, length 1, turned so that the positive rows' mean scores " +
      "higher; bias half-way between the class means",
    async fit(matrix, columns) {
      return [await fitColumns(matrix, columns, seed)];
    },
    fitAt: (matrix, columns) => fitColumns(matrix, columns, seed),
  };
  return knownProbe(probe, { name: "pca", options: { seed } });
}

async function fitColumns(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  seed: number,
): Promise<ProbeFit[]> {
  columns.forEach(refuseOneClass);
  const products = rowProducts(matrix);
  const spreads = trainingSpreads(columns);
  const distinct = [...new Set(spreads)];
  const found = await topVectors(
    distinct.length,
    matrix.width,
    async (at, vectors) => {
      const scores = await products.scores(vectors);
      const sums = await products.gather(scores.map((each, i) => mean(distinct[at[i]!]!, each)));
      return sums.map((sum) => Float64Array.from(sum));
    },
    seed,
  );
  const scores = await products.scores(found.map(({ vector }) => vector));
  return columns.map((column, k) => {
    const at = distinct.indexOf(spreads[k]!);
    const { vector, converged, iterations, residualNorm } = found[at]!;
    const [low, high] = twoMeans(spreads[k]!, column.labels, scores[at]!);
    const sign = high < low ? -1 : 1;
    const centeredBias = (-sign * (low + high)) / 2;
    return probeFit(matrix, {
      weights: vector.map((value) => sign * value),
      centeredBias,
      scores: Float64Array.from(scores[at]!, (score) => sign * score + centeredBias),
      ...{ converged, iterations, gradientNorm: residualNorm },
    });
  });
}

function mean(spread: RowSpread, scores: ArrayLike<number>): Float64Array {
  return centredValues(spread, scores).map((value) => value / spread.total);
}

/** Weighted mean score of the negative and of the positive training rows. */
function twoMeans(
  { weights }: RowSpread,
  labels: ArrayLike<number>,
  scores: ArrayLike<number>,
): [number, number] {
  const byClass = rowSpread(
    weights,
    Uint8Array.from(labels, (label) => (label ? 1 : 0)),
    2,
  );
  const sums: [number, number] = [0, 0];
  weights.forEach((weight, row) => (weight === 0 ? 0 : (sums[labels[row] ? 1 : 0] += weight * scores[row]!)));
  return [sums[0] / byClass.totals[0]!, sums[1] / byClass.totals[1]!];
}
