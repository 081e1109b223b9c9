import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema } from "./number-schemas.ts";
import { probeNameSchema } from "./probe-name.ts";
import { versionSchema } from "./result-version.ts";

export const labelEfficiencySchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("label-efficiency"),
  label: z.string(),
  layer: z.int().min(-1),
  probe: probeNameSchema,
  score: z.enum(["auroc", "macro-auroc", "r2"]),
  /** How groups were drawn, chosen by and scored, in words. */
  split: z.string(),
  folds: z.int().min(3),
  repeats: countSchema,
  seed: z.number(),
  random: z.string(),
  n: countSchema,
  groups: countSchema,
  points: z
    .array(
      z.object({
        /** Labelled groups that each outer fold's probe (its choice of C included) was given; mean over folds. */
        groups: z.number().min(0),
        /** Rows of these groups; mean over folds and repeats. */
        rows: z.number().min(0),
        /** Mean over repeats of the score on all outer folds; the middle 95 % of repeats. */
        score: estimateSchema,
      }),
    )
    .min(1),
  notes: z.array(z.string()),
});
export type LabelEfficiency = z.infer<typeof labelEfficiencySchema>;
