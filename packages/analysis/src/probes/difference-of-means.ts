import { knownProbe } from "./known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "./probe.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";
import { probeFit, refuseOneClass } from "./probe-fit.ts";

/** The mean of positive training rows less the mean of negative ones, in raw space; threshold half-way between the two means. */
export function differenceOfMeans(): Probe {
  const probe: Probe = {
    name: "difference-of-means",
    target: "classes",
    C: null,
    bias: "midpoint",
    formula:
      "w = mean(positive) − mean(negative), raw space, not standardised; bias puts the threshold half-way",
    async fit(matrix, columns) {
      return [await fitColumns(matrix, columns)];
    },
    fitAt: fitColumns,
  };
  return knownProbe(probe, { name: "difference-of-means" });
}

async function fitColumns(matrix: ProbeMatrix, columns: readonly ProbeColumn[]): Promise<ProbeFit[]> {
  // The difference of two means is one weighted sum of rows: +1/n of each positive one, −1/n of each negative one, times their weights.
  const residuals = columns.map((column) => {
    const { positives, negatives } = refuseOneClass(column);
    return Float64Array.from(column.training.included, (included, row) => {
      const weight = included ? (column.weights ? column.weights[row]! : 1) : 0;
      return column.labels[row] ? weight / positives : -weight / negatives;
    });
  });
  const weights = await matrix.gather(residuals);
  const scores = await matrix.scores(weights);
  return columns.map((column, k) => {
    // The same shares again: the sum of |residual| × score is the sum of the two class means.
    const middle = scores[k]!.reduce((sum, score, row) => sum + score * Math.abs(residuals[k]![row]!), 0) / 2;
    return probeFit(matrix, {
      weights: Float64Array.from(weights[k]!),
      centeredBias: -middle,
      scores: Float64Array.from(scores[k]!, (score) => score - middle),
      converged: true,
      iterations: 0,
      gradientNorm: 0,
    });
  });
}
