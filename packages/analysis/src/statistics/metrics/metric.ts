import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { arraySchema, indexNumbers, refuseOtherLength } from "../checked-arrays.ts";

/** What a metric measures: one score and one label a row. */
export interface MetricRows {
  /** One a row; for metrics of classes `[rows, classes]`, row by row. */
  scores: ArrayLike<number>;
  /** 0/1 or false/true; the class's number for metrics of classes; the true number for metrics of numbers. */
  labels: ArrayLike<number | boolean>;
  /** Rows whose scores share a scale (the outer fold, 0, 1, …): where scores are compared, only rows of one stratum are. */
  strata?: ArrayLike<number> | undefined;
  /** Which weight a row takes (its group, 0, 1, …). Left out: its own row number. */
  unit?: ArrayLike<number> | undefined;
}

/** A metric with its rows sorted or summed once, so that another weighting of the groups costs little. */
export interface PreparedMetric {
  /**
   * With `weights`, row r counts `weights[unit[r]]` times (a bootstrap draw of whole groups, or weights of rows). Null where the
   * metric is undefined; never NaN.
   */
  value(weights?: ArrayLike<number>): number | null;
  /** Why the metric is null where it is, in words. */
  readonly reason: string;
}

/** A measure of scores against labels. Every one can be resampled by `estimateMetric`. */
export interface Metric {
  readonly name: string;
  /** Throws ProbeError on rows that it cannot take: lengths that differ, scores that are not finite, labels of another kind. */
  prepare(rows: MetricRows): PreparedMetric;
}

/** Rows whose lengths agree, with their units. `width`: scores a row. */
export function checkRows(
  rows: MetricRows,
  of: string,
  width = 1,
): { n: number; unit: Uint32Array | undefined; units: number; strata: Uint32Array | undefined } {
  checkOptions(rowsSchema, rows, of);
  const n = rows.scores.length / width;
  refuseOtherLength(rows.labels, n, "labels", of);
  if (rows.strata) refuseOtherLength(rows.strata, n, "strata", of);
  if (rows.unit) refuseOtherLength(rows.unit, n, "units", of);
  const unit = rows.unit && indexNumbers(rows.unit, "unit", of);
  const strata = rows.strata && indexNumbers(rows.strata, "stratum", of).index;
  return { n, unit: unit?.index, units: unit?.count ?? n, strata };
}

const rowsSchema = z.looseObject({
  scores: arraySchema<number>("numbers"),
  labels: arraySchema<number | boolean>("labels"),
  strata: arraySchema<number>("whole numbers").optional(),
  unit: arraySchema<number>("whole numbers").optional(),
});

/** Copies the weights into `own`, so that the walks over rows read one kind of array; ones where there are none. */
export function fillWeights(own: Float64Array, weights: ArrayLike<number> | undefined): Float64Array {
  if (!weights) return own.fill(1);
  if (weights.length < own.length) {
    throw new ProbeError(
      "bad_option",
      `There are ${weights.length} weights for ${own.length} units: give one weight each.`,
      { weights: weights.length, units: own.length },
    );
  }
  for (let i = 0; i < own.length; i++) {
    const weight = weights[i]!;
    if (!(weight >= 0 && weight < Infinity)) {
      throw new ProbeError(
        "bad_option",
        `The weight of unit ${i} is ${weight}: give finite weights from 0.`,
        { unit: i },
      );
    }
    own[i] = weight;
  }
  return own;
}
