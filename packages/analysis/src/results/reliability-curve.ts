import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

export const reliabilityCurveSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("reliability-curve"),
  binning: z.enum(["width", "mass"]),
  /** Bins that hold rows, in order. */
  bins: z.array(
    z.object({
      /** Smallest and largest probability in it. */
      low: shareSchema,
      high: shareSchema,
      meanProbability: shareSchema,
      /** Share of positives; interval of Clopper–Pearson at what grouped rows are worth. */
      positives: estimateSchema,
    }),
  ),
  /** Σ over bins of |mean probability − share of positives|, by rows. */
  calibrationError: estimateSchema,
  /** What that comes to for perfectly calibrated probabilities of independent rows: an error near it tells nothing. */
  perfectError: z.number().min(0).nullable(),
  brier: estimateSchema,
  logLoss: estimateSchema,
  n: countSchema,
  groups: countSchema,
  draws: countSchema,
  seed: z.number(),
  random: z.string(),
});
export type ReliabilityCurve = z.infer<typeof reliabilityCurveSchema>;
