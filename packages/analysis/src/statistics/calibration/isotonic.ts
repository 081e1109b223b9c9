import { sortedOrder } from "../metrics/ranked-scores.ts";

/** Corners of a rising line: p is interpolated between them, and constant beyond the first and the last. */
export interface IsotonicFit {
  /** Ascending. */
  scores: number[];
  /** Not falling. */
  probabilities: number[];
}

/** The rising function of the score that is nearest to the labels in squares: adjacent violators pooled (Ayer et al. 1955). Rows of equal score count as their mean. */
export function fitIsotonic(scores: Float64Array, labels: Uint8Array): IsotonicFit {
  const order = sortedOrder(scores);
  const pools: { first: number; last: number; positives: number; rows: number }[] = [];
  for (const row of order) {
    const score = scores[row]!;
    const last = pools.at(-1);
    // Whole counts, so that equal means are equal.
    if (last && last.first === score && last.last === score) {
      last.positives += labels[row]!;
      last.rows += 1;
    } else pools.push({ first: score, last: score, positives: labels[row]!, rows: 1 });
  }
  const pooled: typeof pools = [];
  for (const next of pools) {
    let pool = next;
    for (let before = pooled.at(-1); before && falls(before, pool); before = pooled.at(-1)) {
      pooled.pop();
      pool = {
        first: before.first,
        last: pool.last,
        positives: before.positives + pool.positives,
        rows: before.rows + pool.rows,
      };
    }
    pooled.push(pool);
  }
  const fit: IsotonicFit = { scores: [], probabilities: [] };
  for (const { first, last, positives, rows } of pooled) {
    for (const score of first === last ? [first] : [first, last]) {
      // JSON has no −0.
      fit.scores.push(score + 0);
      fit.probabilities.push(positives / rows);
    }
  }
  return fit;
}

function falls(
  before: { positives: number; rows: number },
  after: { positives: number; rows: number },
): boolean {
  return before.positives * after.rows >= after.positives * before.rows;
}

export function applyIsotonic({ scores, probabilities }: IsotonicFit, score: number): number {
  let low = 0;
  let high = scores.length - 1;
  if (score <= scores[low]!) return probabilities[low]!;
  if (score >= scores[high]!) return probabilities[high]!;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (scores[middle]! <= score) low = middle;
    else high = middle;
  }
  const share = (score - scores[low]!) / (scores[high]! - scores[low]!);
  return probabilities[low]! + share * (probabilities[high]! - probabilities[low]!);
}
