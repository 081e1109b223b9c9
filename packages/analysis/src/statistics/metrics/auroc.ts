import type { Metric } from "./metric.ts";
import { rankScores } from "./ranked-scores.ts";

/** An area under the ROC curve, or the reason why there is none. */
export type Auroc = { value: number; positives: number; negatives: number } | { value: null; reason: string };

/**
 * The share of (positive, negative) pairs that the scores put in the right order, ties counting half: exact, whatever
 * the order of the rows; all-equal scores give exactly 0.5. Undefined (with its reason) when a class has no row.
 * Throws ProbeError on scores that are not finite and labels that are not 0/1 or false/true.
 */
export function auroc(scores: ArrayLike<number>, labels: ArrayLike<number | boolean>): Auroc {
  const value = rankScores({ scores, labels }).auroc();
  const { positives, negatives } = countClasses(labels);
  if (value !== null) return { value, positives, negatives };
  return { value: null, reason: oneClassReason(positives, negatives) };
}

function oneClassReason(positives: number, negatives: number): string {
  return `AUROC needs rows of both classes: there are ${positives} positive and ${negatives} negative`;
}

export function countClasses(labels: ArrayLike<number | boolean>): { positives: number; negatives: number } {
  let positives = 0;
  for (let row = 0; row < labels.length; row++) positives += labels[row] ? 1 : 0;
  return { positives, negatives: labels.length - positives };
}

/** AUROC as a metric; with strata, over pairs of rows of one stratum. */
export const aurocMetric: Metric = {
  name: "AUROC",
  prepare(rows) {
    const ranked = rankScores(rows);
    const { positives, negatives } = countClasses(rows.labels);
    const both = positives > 0 && negatives > 0;
    return {
      value: (weights) => ranked.auroc(weights),
      reason: both
        ? "AUROC needs rows of both classes in one stratum, and no stratum has them"
        : oneClassReason(positives, negatives),
    };
  },
};
