import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { arraySchema, binaryLabels, finiteNumbers, refuseOtherLength } from "../checked-arrays.ts";
import { countClasses } from "../metrics/auroc.ts";
import { sortedOrder } from "../metrics/ranked-scores.ts";

/**
 * The threshold that is best on these rows (training rows: the rows that it is judged on must be others). A score above it counts as
 * positive. `"youden"` makes true-positive less false-positive rate largest (so that classes weigh alike), `"accuracy"` the share of rows
 * on the right side. It lies midway between two scores; of equally good places in the widest gap, then the lowest one. Where no
 * row (or every row) is best taken as positive, it is the largest score (or a number below the smallest).
 * Throws ProbeError `one_class` when a class has no row.
 */
export function chooseThreshold(options: {
  scores: ArrayLike<number>;
  labels: ArrayLike<number | boolean>;
  rule: "youden" | "accuracy";
}): number {
  const { rule } = checkOptions(chooseSchema, options, "chooseThreshold");
  refuseOtherLength(options.labels, options.scores.length, "labels", "chooseThreshold");
  const scores = finiteNumbers(options.scores, "score", "chooseThreshold");
  const labels = binaryLabels(options.labels, "chooseThreshold");
  const { positives, negatives } = countClasses(labels);
  if (positives === 0 || negatives === 0) {
    throw new ProbeError(
      "one_class",
      `A threshold needs rows of both classes: there are ${positives} positive and ${negatives} negative.`,
      { positives, negatives },
    );
  }
  const gains = rule === "youden" ? [negatives, positives] : [1, 1];
  const order = sortedOrder(scores);
  const lowest = scores[order[0]!]!;
  // Everything above the threshold: no false negative yet, every negative wrong. Whole numbers, so equal is equal.
  let gain = 0;
  let best = { gain, gap: 0, threshold: Math.max(-Number.MAX_VALUE, lowest - Math.max(1, Math.abs(lowest))) };
  for (let at = 0; at < order.length; at++) {
    const row = order[at]!;
    gain += labels[row] === 1 ? -gains[0]! : gains[1]!;
    const score = scores[row]!;
    const next = order[at + 1];
    const above = next === undefined ? score : scores[next]!;
    if (next !== undefined && above === score) continue;
    const gap = above - score;
    if (gain > best.gain || (gain === best.gain && gap > best.gap))
      best = { gain, gap, threshold: between(score, above) };
  }
  return best.threshold;
}

/** Midway; the lower one where nothing lies between. */
function between(low: number, high: number): number {
  const middle = low + (high - low) / 2;
  return middle < high ? middle : low;
}

const chooseSchema = z.strictObject({
  scores: arraySchema<number>("numbers"),
  labels: arraySchema<number | boolean>("labels"),
  rule: z.enum(["youden", "accuracy"]),
});

/**
 * The lowest threshold that at most a share `rate` of these scores lies above: scores of negative rows of a control or training set, not
 * of the rows that are then judged. It is one of the scores; with fewer than 1/rate of them it is the largest.
 */
export function thresholdAtFpr(options: { scores: ArrayLike<number>; rate: number }): number {
  const { rate } = checkOptions(rateSchema, options, "thresholdAtFpr");
  const sorted = finiteNumbers(options.scores, "score", "thresholdAtFpr").sort();
  if (sorted.length === 0) {
    throw new ProbeError(
      "one_class",
      "A threshold at a false-positive rate needs negative rows, and there are none.",
    );
  }
  // rate · n may lie an ulp below the whole number that is meant.
  const allowed = Math.min(sorted.length - 1, Math.floor(rate * sorted.length * (1 + 1e-12)));
  return sorted[sorted.length - 1 - allowed]!;
}

const rateSchema = z.strictObject({
  scores: arraySchema<number>("numbers"),
  rate: z.number().min(0).lt(1),
});
