import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { shareSchema } from "./number-schemas.ts";

/** Recall at a threshold chosen for a false-positive rate on other rows, with the rate that it had. A part of other results. */
export const recallAtFprSchema = z.object({
  /** The false-positive rate that the threshold was chosen for. */
  rate: shareSchema,
  /** A score above it counts as positive; one number, or one of each stratum (outer fold). */
  threshold: z.union([z.number(), z.array(z.number())]),
  recall: estimateSchema,
  /** The rate on the judged rows: `groups` counts the groups with negative rows. */
  falsePositiveRate: estimateSchema,
});
export type RecallAtFpr = z.infer<typeof recallAtFprSchema>;
