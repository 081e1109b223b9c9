import { z } from "zod";
import { countSchema } from "./number-schemas.ts";

/**
 * A number with its interval. `value`, `low` and `high` are null together with a `reason` when the number is undefined;
 * an interval alone can be missing (`low` and `high` null), also with its reason.
 */
export const estimateSchema = z.object({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** How many rows, prompts, shuffles, directions or twins the value rests on. */
  n: countSchema.optional(),
  /** How many groups (clusters) were resampled for the interval. */
  groups: countSchema.optional(),
  /** Bootstrap draws in which the number was undefined (one class only, say): left out of the interval, counted here. */
  undefinedDraws: countSchema.optional(),
  reason: z.string().optional(),
});
export type Estimate = z.infer<typeof estimateSchema>;
