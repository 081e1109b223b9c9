import { cholesky } from "../../linalg/cholesky.ts";
import { ProbeError } from "../probe-error.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFit } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { rowProducts } from "./row-products.ts";
import { centredValues, classMeans, spreadMoments, trainingSpreads, type RowSpread } from "./row-spread.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

const formula =
  "min Σ (y − x·w − b)², raw features, no penalty; rows than features fewer, or features that are sums of others, are refused";

/**
 * Linear regression of a number without a penalty, as scikit-learn's LinearRegression where the solution is one. Throws ProbeError
 * `not_positive_definite` where it is not: fewer rows than features, or features that are sums of others. Take `ridge` then.
 */
export function linearRegression(): Probe {
  const probe: Probe = {
    name: "linear-regression",
    target: "number",
    C: null,
    bias: "fitted",
    formula,
    async fit(matrix, columns) {
      return [await fitColumns(matrix, columns)];
    },
    fitAt: fitColumns,
  };
  return knownProbe(probe, { name: "linear-regression" });
}

async function fitColumns(matrix: ProbeMatrix, columns: readonly ProbeColumn[]): Promise<ProbeFit[]> {
  const { width } = matrix;
  const products = rowProducts(matrix);
  const spreads = trainingSpreads(columns);
  const solvers = new Map<RowSpread, (right: Float64Array) => Float64Array>();
  for (const spread of spreads) if (!solvers.has(spread)) solvers.set(spread, solverOf(matrix, spread));
  const weights = columns.map(() => new Float64Array(width));
  const ends = columns.map(() => ({ first: 0, last: 0 }));
  // The factor is of float64 sums; a second round takes out what float32 products left in the first.
  for (let round = 0; round < 3; round++) {
    const scores = await products.scores(weights);
    const residuals = columns.map((column, k) =>
      Float64Array.from({ length: matrix.rows }, (_, row) =>
        spreads[k]!.weights[row] === 0 ? 0 : column.labels[row]! - scores[k]![row]!,
      ),
    );
    const sums = await products.gather(residuals.map((residual, k) => centredValues(spreads[k]!, residual)));
    sums.forEach((sum, k) => {
      const right = Float64Array.from(sum);
      const norm = Math.sqrt(dot(right, right));
      if (round === 0) ends[k]!.first = norm;
      ends[k]!.last = norm;
      if (round < 2) addScaled(weights[k]!, 1, solvers.get(spreads[k]!)!(right));
    });
  }
  const scores = await products.scores(weights);
  return columns.map((column, k) => {
    const [mean] = classMeans(spreads[k]!, column.labels);
    const [score] = classMeans(spreads[k]!, scores[k]!);
    const centeredBias = mean! - score!;
    const { first, last } = ends[k]!;
    return probeFit(matrix, {
      weights: weights[k]!,
      centeredBias,
      scores: Float64Array.from(scores[k]!, (each) => each + centeredBias),
      converged: last <= 1e-4 * first,
      iterations: 2,
      gradientNorm: last,
    });
  });
}

/** Solves the normal equations of the features that vary, scaled to unit variance. */
function solverOf(matrix: ProbeMatrix, spread: RowSpread): (right: Float64Array) => Float64Array {
  const { values, width, rows } = matrix;
  const { mean, variance } = spreadMoments(spread, values, width)[0]!;
  const varying = [...variance.keys()].filter((j) => variance[j]! > 0);
  const inside = [...spread.weights.keys()].filter((row) => spread.weights[row]! > 0);
  const size = varying.length;
  if (inside.length <= size) {
    throw new ProbeError(
      "not_positive_definite",
      `${inside.length} training rows do not determine ${size} weights: linear regression needs more rows than features. Take ridge, or select rows.`,
      { rows: inside.length, features: size },
    );
  }
  const scale = Float64Array.from(varying, (j) => 1 / Math.sqrt(variance[j]!));
  const gram = new Float64Array(size * size);
  const line = new Float64Array(size);
  for (let row = 0; row < rows; row++) {
    const weight = spread.weights[row]!;
    if (weight === 0) continue;
    varying.forEach((j, i) => (line[i] = (values[row * width + j]! - mean[j]!) * scale[i]!));
    for (let i = 0; i < size; i++) {
      const own = weight * line[i]!;
      for (let k = 0, at = i * size; k <= i; k++) gram[at++]! += own * line[k]!;
    }
  }
  refuseDependent(gram, size, spread.total);
  const factor = cholesky(gram, size);
  return (right) => {
    const solved = factor.solve(Float64Array.from(varying, (j, i) => right[j]! * scale[i]!));
    const weights = new Float64Array(width);
    varying.forEach((j, i) => (weights[j] = solved[i]! * scale[i]!));
    return weights;
  };
}

/** Rounding can leave a pivot of a feature that is a sum of others above 0: less than a share of 1e-11 of the variance counts as none. */
function refuseDependent(gram: Float64Array, size: number, total: number): void {
  const lifted = gram.slice();
  for (let i = 0; i < size; i++) lifted[i * size + i]! -= 1e-11 * total;
  cholesky(lifted, size);
}
