import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { RecallAtFpr } from "../../results/recall-at-fpr.ts";
import { arraySchema, binaryLabels } from "../checked-arrays.ts";
import { shareInterval } from "../intervals/share-interval.ts";
import {
  estimateMetric,
  estimateOptionsSchema,
  type EstimateOptions,
  type GroupedRows,
} from "../metrics/estimate-metric.ts";
import { recallMetric, rowsAbove, type Threshold } from "../metrics/threshold-metrics.ts";

/**
 * Recall at a threshold that other rows chose for the false-positive rate `rate` (`thresholdAtFpr`; with strata one each), beside the
 * rate that it really has on these rows, with its interval: a threshold from few control rows may be far off.
 */
export function recallAtFpr(
  rows: GroupedRows,
  options: EstimateOptions & { rate: number; threshold: Threshold },
): RecallAtFpr {
  const { rate, threshold, ...estimate } = checkOptions(recallSchema, options, "recallAtFpr");
  const recall = estimateMetric(recallMetric({ threshold }), rows, estimate);
  const labels = binaryLabels(rows.labels, "recallAtFpr");
  const above = rowsAbove(rows, threshold, "recallAtFpr");
  const negatives = Array.from(labels.keys()).filter((row) => labels[row] === 0);
  return {
    rate,
    threshold: typeof threshold === "number" ? threshold : Array.from(threshold),
    recall,
    falsePositiveRate: shareInterval({
      hits: negatives.map((row) => above[row] === 1),
      groups: negatives.map((row) => rows.groups[row]),
      absent: "there is no negative row",
    }),
  };
}

const recallSchema = estimateOptionsSchema.extend({
  rate: z.number().gt(0).lt(1),
  threshold: z.union([z.number(), arraySchema<number>("numbers, one a stratum")]),
});
