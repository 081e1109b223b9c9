import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { Estimate } from "../../results/estimate.ts";
import { clusterBootstrap } from "../intervals/cluster-bootstrap.ts";
import { arraySchema, refuseOtherLength } from "../checked-arrays.ts";
import { indexGroups } from "../group-folds.ts";
import { createRandom } from "../random.ts";
import type { Metric, MetricRows } from "./metric.ts";

/** Rows with the group of each: groups are redrawn whole. Rows that are independent of each other have a group each. */
export type GroupedRows = Omit<MetricRows, "unit"> & { groups: ArrayLike<unknown> };

export interface EstimateOptions {
  /** Bootstrap draws of the interval (default 1000). */
  draws?: number | undefined;
  /** Default 0. Equal seeds redraw equal groups, whatever is measured. */
  seed?: number | undefined;
}

/**
 * A metric on all rows with its 95 % cluster-bootstrap interval; the probes stay as fitted. Undefined is null with its reason; draws in
 * which it is undefined are counted. Throws ProbeError and InvalidRequestError on rows and options that cannot be.
 */
export function estimateMetric(metric: Metric, rows: GroupedRows, options: EstimateOptions = {}): Estimate {
  const { draws, seed } = checkOptions(estimateOptionsSchema, options, "estimateMetric");
  const { index, count } = rowGroups(rows, "estimateMetric");
  const prepared = metric.prepare({ ...rows, unit: index });
  const sizes = { n: index.length, groups: count };
  const value = prepared.value();
  if (value === null) return { value, low: null, high: null, ...sizes, reason: prepared.reason };
  const random = createRandom(seed, "bootstrap");
  const drawn = clusterBootstrap({ groups: count, draws, random }, (times) => prepared.value(times));
  return { value, ...drawn, ...sizes };
}

export const estimateOptionsSchema = z.strictObject({
  draws: z.int().min(1).default(1000),
  seed: z.number().default(0),
});

/** Each row's group as a number. */
export function rowGroups(
  rows: { labels: ArrayLike<unknown>; groups: ArrayLike<unknown> },
  of: string,
): { index: Uint32Array; count: number } {
  checkOptions(groupedSchema, rows, of);
  refuseOtherLength(rows.groups, rows.labels.length, "groups", of);
  return indexGroups(rows.groups);
}

const groupedSchema = z.looseObject({
  labels: arraySchema<unknown>("labels"),
  groups: arraySchema<unknown>("group names, one a row (whole groups are redrawn)"),
});
