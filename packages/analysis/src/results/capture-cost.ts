import { z } from "zod";
import { countSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

/** What planned captures take of what one capture may hold. */
export const captureCostSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("capture-cost"),
  hiddenSize: z.int().min(1),
  /** Numbers that one capture may hold. */
  limit: z.int().min(1),
  plans: z
    .array(
      z.object({
        name: z.string(),
        layers: countSchema,
        /** Prompt tokens and max_tokens. */
        positions: countSchema,
        /** layers × positions × hiddenSize. */
        numbers: countSchema,
        fits: z.boolean(),
        /** What would fit, in words; null where it does. */
        wouldFit: z.string().nullable(),
      }),
    )
    .min(1),
});
export type CaptureCost = z.infer<typeof captureCostSchema>;
