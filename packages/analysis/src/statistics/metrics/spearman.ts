import { fillWeights, type Metric } from "./metric.ts";
import { numberRows } from "./number-metrics.ts";
import { sortedOrder } from "./ranked-scores.ts";

/**
 * Spearman's correlation: Pearson's of the ranks, ties at their mean rank. With strata, ranks and correlation are those within
 * each stratum, and the strata's correlations are averaged by their rows. Undefined when scores or labels are all equal (in a stratum,
 * that stratum is left out).
 */
export const spearmanMetric: Metric = {
  name: "Spearman correlation",
  prepare(rows) {
    const { scores, labels, checked } = numberRows(rows, "Spearman correlation");
    const { n, unit, units, strata } = checked;
    const byStratum = strata ?? new Uint32Array(n);
    const sorted = [scores, labels].map((values) => ({
      values,
      order: sortedOrder(values, strata),
      ranks: new Float64Array(n),
    }));
    const own = new Float64Array(units);
    const weightOfRow = new Float64Array(n);
    return {
      value(weights) {
        const weightOf = fillWeights(own, weights);
        for (let row = 0; row < n; row++) weightOfRow[row] = weightOf[unit ? unit[row]! : row]!;
        for (const one of sorted) weightedRanks(one, byStratum, weightOfRow);
        return meanCorrelation(sorted[0]!.ranks, sorted[1]!.ranks, {
          order: sorted[0]!.order,
          strata: byStratum,
          weights: weightOfRow,
        });
      },
      reason: "Spearman correlation needs scores and labels that differ",
    };
  },
};

/** Mid-ranks in the stratum, as if each row were there as often as its weight says. */
function weightedRanks(
  { values, order, ranks }: { values: Float64Array; order: Uint32Array; ranks: Float64Array },
  strata: Uint32Array,
  weights: Float64Array,
): void {
  let before = 0;
  for (let at = 0; at < order.length;) {
    const first = order[at]!;
    let tied = 0;
    let end = at;
    while (
      end < order.length &&
      strata[order[end]!] === strata[first] &&
      values[order[end]!] === values[first]
    ) {
      tied += weights[order[end++]!]!;
    }
    for (let i = at; i < end; i++) ranks[order[i]!] = before + (tied + 1) / 2;
    before = end < order.length && strata[order[end]!] === strata[first] ? before + tied : 0;
    at = end;
  }
}

function meanCorrelation(
  a: Float64Array,
  b: Float64Array,
  { order, strata, weights }: { order: Uint32Array; strata: Uint32Array; weights: Float64Array },
): number | null {
  let sum = 0;
  let rows = 0;
  for (let at = 0; at < order.length;) {
    let end = at;
    let n = 0;
    while (end < order.length && strata[order[end]!] === strata[order[at]!]) n += weights[order[end++]!]!;
    // The mean of mid-ranks is (n + 1) / 2 whatever the ties.
    const mean = (n + 1) / 2;
    let [products, squaresA, squaresB] = [0, 0, 0];
    for (let i = at; i < end; i++) {
      const row = order[i]!;
      const [deviationA, deviationB] = [a[row]! - mean, b[row]! - mean];
      products += weights[row]! * deviationA * deviationB;
      squaresA += weights[row]! * deviationA * deviationA;
      squaresB += weights[row]! * deviationB * deviationB;
    }
    if (squaresA > 0 && squaresB > 0) {
      sum += (n * products) / Math.sqrt(squaresA * squaresB);
      rows += n;
    }
    at = end;
  }
  return rows > 0 ? Math.max(-1, Math.min(1, sum / rows)) : null;
}
