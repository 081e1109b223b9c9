import { z } from "zod";
import { estimateSchema } from "./estimate.ts";

/** AUROC with its clustered DeLong error: null where the value is; the interval is missing, with its reason, where the error is 0. */
export const delongSchema = estimateSchema.extend({ standardError: z.number().min(0).nullable() });
export type DelongEstimate = z.infer<typeof delongSchema>;

/** The difference of two AUROCs of the same rows; `p` is two-sided. */
export const delongDifferenceSchema = delongSchema.extend({ p: z.number().min(0).max(1).nullable() });
export type DelongDifference = z.infer<typeof delongDifferenceSchema>;
