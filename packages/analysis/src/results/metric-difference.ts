import { z } from "zod";
import { estimateSchema } from "./estimate.ts";

/** The difference of one metric for two scores of the same rows. A part of other results. */
export const metricDifferenceSchema = estimateSchema.extend({
  /** Jackknife over groups; null where it is undefined. */
  standardError: z.number().min(0).nullable(),
  /** The difference that these groups show with probability 0.8 at a level of 5 %; null where the standard error is. */
  smallestDetectable: z.number().min(0).nullable(),
});
export type MetricDifference = z.infer<typeof metricDifferenceSchema>;
