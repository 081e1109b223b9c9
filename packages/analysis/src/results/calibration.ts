import { z } from "zod";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

const shared = {
  schemaVersion: versionSchema,
  kind: z.literal("calibration"),
  /** The rows that it was fitted on. */
  n: countSchema,
  positives: countSchema,
};

/** How scores become probabilities of the positive class. */
export const calibrationSchema = z.discriminatedUnion("method", [
  z.object({
    ...shared,
    method: z.literal("platt"),
    /** p = 1 / (1 + exp(−(slope · score + intercept))). */
    slope: z.number(),
    intercept: z.number(),
  }),
  z.object({
    ...shared,
    method: z.literal("isotonic"),
    /** Corners, ascending; p is interpolated between them and constant beyond. */
    scores: z.array(z.number()).min(1),
    /** Of each corner, not falling. */
    probabilities: z.array(shareSchema).min(1),
  }),
]);
export type Calibration = z.infer<typeof calibrationSchema>;
