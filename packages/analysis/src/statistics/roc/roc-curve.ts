import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import type { RecallAtFpr } from "../../results/recall-at-fpr.ts";
import type { RocCurve } from "../../results/roc-curve.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { binaryLabels, finiteNumbers } from "../checked-arrays.ts";
import { certainNote, fewGroupsNote } from "../intervals/cluster-bootstrap.ts";
import { aurocMetric } from "../metrics/auroc.ts";
import {
  estimateMetric,
  estimateOptionsSchema,
  rowGroups,
  type EstimateOptions,
  type GroupedRows,
} from "../metrics/estimate-metric.ts";
import { randomName } from "../random.ts";
import { thresholdAtFpr } from "../thresholds/choose-threshold.ts";
import { recallAtFpr } from "../thresholds/recall-at-fpr.ts";
import { rocBand } from "./roc-band.ts";
import { rocCorners } from "./roc-corners.ts";
import { rocStrata, type RocStratum } from "./roc-strata.ts";
import { thinCorners } from "./thin-corners.ts";

export interface RocOptions extends EstimateOptions {
  /** What was scored, in words (default "score"). */
  label?: string;
  /** False-positive rates to mark (default 1 % and 5 %). */
  rates?: readonly number[];
  /** The band has this many steps of equal width (default 50). */
  steps?: number;
  /** Beyond about so many corners only those are kept that are a step apart: no rate moves by more than 2 / points (default 1000). */
  points?: number;
}

const optionsSchema = estimateOptionsSchema.extend({
  label: z.string().min(1).default("score"),
  rates: z.array(z.number().gt(0).lt(1)).default([0.01, 0.05]),
  steps: z.int().min(1).max(1000).default(50),
  points: z.int().min(2).default(1000),
});

/**
 * The ROC curve of scores of rows that took no part in fitting, with its AUROC, a band of recall (95 % at each rate by itself, whole groups
 * redrawn) and marks at fixed rates, whose thresholds are of these very rows. Scores of several fits (folds) have no common scale: give
 * `strata`, and the curve is the average of theirs; its area is the AUROC over pairs of rows of one stratum.
 * Throws ProbeError `one_class` where a stratum has rows of one class only, `not_finite`, `bad_label`, `bad_group`; InvalidRequestError.
 */
export function rocCurve(rows: GroupedRows, options: RocOptions = {}): RocCurve {
  const {
    label,
    rates: marked,
    steps,
    points,
    ...estimate
  } = checkOptions(optionsSchema, options, "rocCurve");
  const { index, count } = rowGroups(rows, "rocCurve");
  const { strata } = rocStrata({ ...rows, unit: index }, "rocCurve");
  strata.forEach((stratum) => refuseOneClass(stratum, strata.length));
  const labels = binaryLabels(rows.labels, "rocCurve");
  const rates = Array.from({ length: steps + 1 }, (_, step) => step / steps);
  const auroc = estimateMetric(aurocMetric, rows, estimate);
  return {
    schemaVersion: resultSchemaVersion,
    kind: "roc-curve",
    label,
    ...(strata.length > 1 ? { strata: strata.length } : {}),
    points: thinCorners(rocCorners(strata), points),
    band: rocBand(strata, rates, { units: count, n: labels.length, ...estimate }),
    auroc,
    marks: marked.map((rate) => markAt(rows, { rate, ...estimate })),
    positives: labels.reduce((sum, one) => sum + one, 0),
    n: labels.length,
    groups: count,
    ...estimate,
    random: randomName,
    notes: [...fewGroupsNote(count), ...(auroc.value === 1 ? [certainNote] : [])],
  };
}

/** The lowest threshold that these rows' own negatives allow, of each stratum. */
function markAt(rows: GroupedRows, options: { rate: number } & EstimateOptions): RecallAtFpr {
  const { rate } = options;
  const scores = finiteNumbers(rows.scores, "score", "rocCurve");
  const labels = binaryLabels(rows.labels, "rocCurve");
  const negatives = (own: (row: number) => boolean) =>
    scores.filter((_, row) => labels[row] === 0 && own(row));
  const { strata } = rows;
  if (!strata)
    return recallAtFpr(rows, {
      ...options,
      threshold: lowest(
        negatives(() => true),
        rate,
      ),
    });
  const numbers = new Set(Array.from(strata));
  const threshold = Array.from({ length: Math.max(...numbers) + 1 }, (_, stratum) =>
    // Numbers that no row has need a threshold that no row meets.
    numbers.has(stratum)
      ? lowest(
          negatives((row) => strata[row] === stratum),
          rate,
        )
      : 0,
  );
  return recallAtFpr(rows, { ...options, threshold });
}

function lowest(scores: Float64Array, rate: number): number {
  // JSON has no −0.
  return thresholdAtFpr({ scores, rate }) + 0;
}

function refuseOneClass({ positive }: RocStratum, strata: number): void {
  const positives = positive.reduce((sum, one) => sum + one, 0);
  const negatives = positive.length - positives;
  if (positives > 0 && negatives > 0) return;
  throw new ProbeError(
    "one_class",
    `A ROC curve needs rows of both classes${strata > 1 ? " in every stratum" : ""}: there are ${positives} positive and ${negatives} negative` +
      `${strata > 1 ? " in one of them; leave its rows out" : ""}.`,
    { positives, negatives },
  );
}
