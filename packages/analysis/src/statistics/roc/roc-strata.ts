import { binaryLabels, finiteNumbers } from "../checked-arrays.ts";
import { checkRows, type MetricRows } from "../metrics/metric.ts";
import { sortedOrder } from "../metrics/ranked-scores.ts";

/** Rows whose scores share a scale, from the highest score down. */
export interface RocStratum {
  readonly scores: Float64Array;
  readonly positive: Uint8Array;
  /** Which weight a row takes. */
  readonly unit: Uint32Array;
  /** 1 at the last row of each run of equal scores. */
  readonly ends: Uint8Array;
}

/** The strata in the order of their numbers (one where the rows have none), and how many weights there are. */
export function rocStrata(rows: MetricRows, of: string): { strata: RocStratum[]; units: number } {
  const { n, unit, units, strata } = checkRows(rows, of);
  const scores = finiteNumbers(rows.scores, "score", of);
  const labels = binaryLabels(rows.labels, of);
  const order = sortedOrder(scores, strata).reverse();
  const parts = new Map<number, number[]>();
  for (const row of order) {
    const stratum = strata ? strata[row]! : 0;
    const own = parts.get(stratum);
    if (own) own.push(row);
    else parts.set(stratum, [row]);
  }
  const made = [...parts.keys()]
    .sort((a, b) => a - b)
    .map((stratum): RocStratum => {
      const own = parts.get(stratum)!;
      return {
        scores: Float64Array.from(own, (row) => scores[row]!),
        positive: Uint8Array.from(own, (row) => labels[row]!),
        unit: Uint32Array.from(own, (row) => (unit ? unit[row]! : row)),
        ends: Uint8Array.from(own, (row, at) =>
          at + 1 < own.length && scores[own[at + 1]!] === scores[row] ? 0 : 1,
        ),
      };
    });
  return { strata: made, units: unit ? units : n };
}
