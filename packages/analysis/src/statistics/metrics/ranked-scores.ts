import { binaryLabels, finiteNumbers } from "../checked-arrays.ts";
import { checkRows, fillWeights, type MetricRows } from "./metric.ts";

/** Scores sorted once, so that each weighting of the rows costs one walk. */
export interface RankedScores {
  /** With `weights`, row r counts `weights[unit[r]]` times. Null when no pair of classes is left. */
  auroc(weights?: ArrayLike<number>): number | null;
}

/**
 * Only pairs of rows of one `stratum` are compared (folds scored by different probes have no common scale);
 * `unit` says which weight a row takes (its own number when left out).
 */
export function rankScores(rows: MetricRows): RankedScores {
  const sorted = sortRows(rows);
  const { unit, positive, ends } = sorted;
  const n = unit.length;
  const own = new Float64Array(sorted.units);
  return {
    auroc(weights) {
      const weightOf = fillWeights(own, weights);
      // Twice the pairs in order, so that a tie counts a whole 1: with whole weights every sum is exact.
      let ordered = 0;
      let pairs = 0;
      let positives = 0;
      let negatives = 0;
      let tiedPositives = 0;
      let tiedNegatives = 0;
      for (let at = 0; at < n; at++) {
        const weight = weightOf[unit[at]!]!;
        if (positive[at] === 1) tiedPositives += weight;
        else tiedNegatives += weight;
        const end = ends[at]!;
        if (end === 0) continue;
        ordered += tiedPositives * (2 * negatives + tiedNegatives);
        positives += tiedPositives;
        negatives += tiedNegatives;
        tiedPositives = tiedNegatives = 0;
        if (end === 1) continue;
        pairs += positives * negatives;
        positives = negatives = 0;
      }
      return pairs > 0 ? ordered / 2 / pairs : null;
    },
  };
}

/** Rows in the order of (stratum, score): their units and classes, and where a run of ties (1) or a stratum (2) ends. */
function sortRows(rows: MetricRows) {
  const { n, unit, units, strata } = checkRows(rows, "AUROC");
  const scores = finiteNumbers(rows.scores, "score", "AUROC");
  const labels = binaryLabels(rows.labels, "AUROC");
  const order = sortedOrder(scores, strata);
  const ends = new Uint8Array(n);
  for (let at = 0; at < n; at++) {
    const row = order[at]!;
    const next = order[at + 1];
    if (next === undefined || (strata && strata[next] !== strata[row])) ends[at] = 2;
    else if (scores[next] !== scores[row]) ends[at] = 1;
  }
  return {
    unit: unit ? order.map((row) => unit[row]!) : order,
    units,
    positive: Uint8Array.from(order, (row) => labels[row]!),
    ends,
  };
}

/** Row numbers by stratum, then by value. */
export function sortedOrder(values: Float64Array, strata?: Uint32Array): Uint32Array {
  const order = Uint32Array.from(values, (_, row) => row);
  return strata
    ? order.sort((a, b) => strata[a]! - strata[b]! || values[a]! - values[b]!)
    : order.sort((a, b) => values[a]! - values[b]!);
}
