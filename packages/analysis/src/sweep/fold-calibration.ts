import type { InnerScores } from "./sweep-candidates.ts";
import type { SweepTarget } from "./sweep-target.ts";

/** False-positive rates at which recall is reported. */
export const targetRates = [0.01, 0.05] as const;

/** What an outer fold's training rows say of scores: nothing here has seen the fold. */
export interface FoldCalibration {
  /** Half-way between the two scores that part the classes best (by balanced accuracy). */
  threshold: number;
  /** For each of `targetRates`, the least threshold above which no larger share of negatives lies. */
  rateThresholds: number[];
}

/**
 * Thresholds from the inner held-out scores of an outer fold's training rows. Null for other labels than two classes, and where a
 * class has no row.
 */
export function foldCalibration(target: SweepTarget, { rows, scores }: InnerScores): FoldCalibration | null {
  if (target.task !== "binary") return null;
  const order = Uint32Array.from(rows.keys()).sort((a, b) => scores[a]! - scores[b]!);
  let positives = 0;
  for (const row of rows) positives += target.labels[row]!;
  const negatives = rows.length - positives;
  if (positives === 0 || negatives === 0) return null;
  // From the lowest score up: what has been passed lies below the threshold.
  let [missed, passed] = [0, 0];
  let best = { share: 1, threshold: scores[order[0]!]! - 1 };
  const rateThresholds = targetRates.map(() => Number.NaN);
  for (let at = 0; at < order.length;) {
    const score = scores[order[at]!]!;
    for (; at < order.length && scores[order[at]!] === score; at++) {
      const positive = target.labels[rows[order[at]!]!]!;
      missed += positive;
      passed += 1 - positive;
    }
    const next = at < order.length ? scores[order[at]!]! : score + 1;
    const share = (positives - missed) / positives + passed / negatives;
    if (share > best.share) best = { share, threshold: score + (next - score) / 2 };
    targetRates.forEach((rate, k) => {
      if (Number.isNaN(rateThresholds[k]!) && negatives - passed <= rate * negatives)
        rateThresholds[k] = score;
    });
  }
  return { threshold: best.threshold, rateThresholds };
}
