import { z } from "zod";
import { labelValueSchema } from "./label-value.ts";
import { countSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

/** How the scores of each class are spread, in bins that all classes share. */
export const scoreHistogramSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("score-histogram"),
  /** What the scores measure. */
  score: z.string(),
  /** `[bins + 1]`, rising: a bin holds its lower edge, the last one its upper edge too. */
  edges: z.array(z.number()).min(2),
  classes: z
    .array(
      z.object({
        label: labelValueSchema,
        /** `[bins]`. */
        counts: z.array(countSchema).min(1),
        n: countSchema,
        mean: z.number().nullable(),
      }),
    )
    .min(1),
  /** Where a decision is made, if anywhere. */
  threshold: z.number().nullable(),
  n: countSchema,
  groups: countSchema,
});
export type ScoreHistogram = z.infer<typeof scoreHistogramSchema>;
