import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { MetricDifference } from "../../results/metric-difference.ts";
import { clusterBootstrap } from "../intervals/cluster-bootstrap.ts";
import { groupJackknife } from "../intervals/group-jackknife.ts";
import { smallestDetectableDifference } from "../intervals/smallest-detectable.ts";
import { createRandom } from "../random.ts";
import {
  estimateOptionsSchema,
  rowGroups,
  type EstimateOptions,
  type GroupedRows,
} from "./estimate-metric.ts";
import type { Metric } from "./metric.ts";

/**
 * The difference of one metric for two scores of the same rows, first less second: both are measured on the same redrawn groups, so what
 * they share cancels. With the smallest difference that these rows could have shown.
 */
export function metricDifference(
  metric: Metric,
  rows: Omit<GroupedRows, "scores"> & { scores: readonly [ArrayLike<number>, ArrayLike<number>] },
  options: EstimateOptions = {},
): MetricDifference {
  const { draws, seed } = checkOptions(estimateOptionsSchema, options, "metricDifference");
  checkOptions(pairSchema, rows, "metricDifference");
  const { index, count } = rowGroups(rows, "metricDifference");
  const [first, second] = [rows.scores[0], rows.scores[1]].map((scores) =>
    metric.prepare({ ...rows, scores, unit: index }),
  );
  const difference = (weights?: ArrayLike<number>) => {
    const [a, b] = [first!.value(weights), second!.value(weights)];
    return a === null || b === null ? null : a - b;
  };
  const sizes = { n: index.length, groups: count };
  const value = difference();
  if (value === null) {
    const reason = first!.value() === null ? first!.reason : second!.reason;
    return { value, low: null, high: null, standardError: null, smallestDetectable: null, ...sizes, reason };
  }
  const random = createRandom(seed, "bootstrap");
  const drawn = clusterBootstrap({ groups: count, draws, random, interval: "widened" }, difference);
  const standardError = groupJackknife(count, difference)?.standardError ?? null;
  const smallestDetectable =
    standardError === null ? null : smallestDetectableDifference({ standardError, groups: count });
  return { value, ...drawn, standardError, smallestDetectable, ...sizes };
}

const pairSchema = z.looseObject({ scores: z.tuple([z.unknown(), z.unknown()]) });
