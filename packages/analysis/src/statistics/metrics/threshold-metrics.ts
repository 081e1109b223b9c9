import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { arraySchema, binaryLabels, finiteNumbers } from "../checked-arrays.ts";
import { checkRows, type Metric, type MetricRows } from "./metric.ts";
import { unitSums } from "./unit-sums.ts";

/**
 * A score above it counts as positive, one equal to it as negative. One number, or one a stratum (each outer fold has its own, from
 * its training rows).
 */
export type Threshold = number | ArrayLike<number>;

/** Share of rows on the right side of a threshold that other rows chose. */
export function accuracyMetric(options: { threshold: Threshold }): Metric {
  return thresholdMetric("accuracy", options, ([positives, negatives, hits, alarms]) => {
    const n = positives + negatives;
    return n > 0 ? (hits + negatives - alarms) / n : null;
  });
}

/** Mean of the share of positives above the threshold and the share of negatives not above it. */
export function balancedAccuracyMetric(options: { threshold: Threshold }): Metric {
  return thresholdMetric("balanced accuracy", options, ([positives, negatives, hits, alarms]) =>
    positives > 0 && negatives > 0 ? (hits / positives + 1 - alarms / negatives) / 2 : null,
  );
}

/** Share of positives above the threshold: the true-positive rate. */
export function recallMetric(options: { threshold: Threshold }): Metric {
  return thresholdMetric("recall", options, ([positives, , hits]) =>
    positives > 0 ? hits / positives : null,
  );
}

/** Share of negatives above the threshold. */
export function falsePositiveRateMetric(options: { threshold: Threshold }): Metric {
  return thresholdMetric("false-positive rate", options, ([, negatives, , alarms]) =>
    negatives > 0 ? alarms / negatives : null,
  );
}

/** Counts (weighted): positives, negatives, positives above the threshold, negatives above it. */
type Counts = [positives: number, negatives: number, hits: number, alarms: number];

function thresholdMetric(
  name: string,
  options: { threshold: Threshold },
  combine: (counts: Counts) => number | null,
): Metric {
  const { threshold } = checkOptions(thresholdSchema, options, `the metric ${name}`);
  return {
    name,
    prepare(rows) {
      const above = rowsAbove(rows, threshold, name);
      const labels = binaryLabels(rows.labels, name);
      const sums = unitSums({
        ...checkRows(rows, name),
        width: 4,
        add(row, terms) {
          const kind = labels[row] === 1 ? 0 : 1;
          terms[kind] = 1;
          terms[2 + kind] = above[row]!;
        },
      });
      return {
        value: (weights) => combine([...sums(weights)] as Counts),
        reason: reasonOf(name, labels),
      };
    },
  };
}

const thresholdSchema = z.strictObject({
  threshold: z.union([z.number(), arraySchema<number>("numbers, one a stratum")]),
});

/** 1 for a row above the threshold of its stratum. */
export function rowsAbove(rows: MetricRows, threshold: Threshold, name: string): Uint8Array {
  const { strata } = checkRows(rows, name);
  const scores = finiteNumbers(rows.scores, "score", name);
  if (typeof threshold === "number") return Uint8Array.from(scores, (score) => (score > threshold ? 1 : 0));
  return Uint8Array.from(scores, (score, row) => {
    const stratum = strata ? strata[row]! : 0;
    const own = threshold[stratum];
    if (typeof own !== "number" || !Number.isFinite(own)) {
      throw new ProbeError(
        "bad_option",
        `The threshold of stratum ${stratum} is ${String(own)}: give a finite threshold for each stratum.`,
        { stratum },
      );
    }
    return score > own ? 1 : 0;
  });
}

function reasonOf(name: string, labels: Uint8Array): string {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  return `${name} has no rows to count: there are ${positives} positive and ${labels.length - positives} negative`;
}
