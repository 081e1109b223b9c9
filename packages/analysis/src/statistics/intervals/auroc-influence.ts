import { binaryLabels, finiteNumbers } from "../checked-arrays.ts";
import { checkRows, type MetricRows } from "../metrics/metric.ts";
import { sortedOrder } from "../metrics/ranked-scores.ts";

/**
 * What each group adds to an AUROC, about its own value: `positives[g] + negatives[g]` is the group's influence, whose sum over groups
 * is 0. With one stratum these are Obuchowski's (V10_g − m_g θ)/M and (V01_g − n_g θ)/N; with strata the pairs of each count.
 */
export interface AurocInfluence {
  value: number;
  positives: Float64Array;
  negatives: Float64Array;
}

/** Null when no stratum has rows of both classes. */
export function aurocInfluence(rows: MetricRows, of: string): AurocInfluence | null {
  const { n, unit, units, strata } = checkRows(rows, of);
  const scores = finiteNumbers(rows.scores, "score", of);
  const labels = binaryLabels(rows.labels, of);
  const order = sortedOrder(scores, strata);
  const sizes = countStrata(labels, strata);
  /** Of each row: the rows of the other class in its stratum that it is ordered right with, ties half; and how many there are. */
  const right = new Float64Array(n);
  const others = new Float64Array(n);
  let ordered = 0;
  let pairs = 0;
  let before = [0, 0];
  for (let at = 0; at < n;) {
    const first = order[at]!;
    const stratum = strata ? strata[first]! : 0;
    const inStratum = sizes[stratum]!;
    const tied = [0, 0];
    let end = at;
    while (end < n && scores[order[end]!] === scores[first] && (!strata || strata[order[end]!] === stratum)) {
      tied[labels[order[end++]!]!]! += 1;
    }
    for (let i = at; i < end; i++) {
      const row = order[i]!;
      const label = labels[row]!;
      const other = 1 - label;
      const below = before[other]! + tied[other]! / 2;
      others[row] = inStratum[other]!;
      right[row] = label === 1 ? below : inStratum[other]! - below;
      if (label === 1) {
        ordered += below;
        pairs += inStratum[0];
      }
    }
    const last = end === n || (strata && strata[order[end]!] !== stratum);
    before = last ? [0, 0] : [before[0]! + tied[0]!, before[1]! + tied[1]!];
    at = end;
  }
  if (pairs === 0) return null;
  const value = ordered / pairs;
  const sums = [new Float64Array(units), new Float64Array(units)] as const;
  for (let row = 0; row < n; row++) {
    sums[labels[row] === 1 ? 1 : 0][unit ? unit[row]! : row]! += (right[row]! - value * others[row]!) / pairs;
  }
  return { value, positives: sums[1], negatives: sums[0] };
}

/** Rows of each class (negative, positive) in each stratum. */
function countStrata(labels: Uint8Array, strata: Uint32Array | undefined): [number, number][] {
  const sizes: [number, number][] = [];
  labels.forEach((label, row) => {
    const stratum = strata ? strata[row]! : 0;
    const size = (sizes[stratum] ??= [0, 0]);
    size[label === 1 ? 1 : 0] += 1;
  });
  return sizes;
}
