import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { recallAtFprSchema } from "./recall-at-fpr.ts";
import { versionSchema } from "./result-version.ts";

export const rocCurveSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("roc-curve"),
  /** What was scored, in words. */
  label: z.string(),
  /** How many curves (of folds, whose scores have no common scale) this one is the average of; left out where it is of one scale. */
  strata: z.int().min(2).optional(),
  /** Corners from (0, 0) to (1, 1), both rates rising; equal scores make one step. Of very many some, near which all others lie. */
  points: z
    .array(
      z.object({
        falsePositiveRate: shareSchema,
        recall: shareSchema,
        /** Rows that score at least this count as positive; null at (0, 0), and in an average of strata. */
        threshold: z.number().nullable(),
      }),
    )
    .min(2),
  /** Recall at evenly spaced false-positive rates with its interval at each by itself; whole groups redrawn. */
  band: z.array(z.object({ falsePositiveRate: shareSchema, recall: estimateSchema })),
  auroc: estimateSchema,
  /** Recall at fixed rates, by thresholds from these very rows: their own rates are at most those. */
  marks: z.array(recallAtFprSchema),
  positives: countSchema,
  n: countSchema,
  groups: countSchema,
  draws: countSchema,
  seed: z.number(),
  random: z.string(),
  /** What should be known of these numbers. */
  notes: z.array(z.string()).optional(),
});
export type RocCurve = z.infer<typeof rocCurveSchema>;
