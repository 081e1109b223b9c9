import { z } from "zod";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

/** How a CCS probe was trained. */
export const ccsTrainingSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("ccs-training"),
  pairs: z.int().min(2),
  seed: countSchema,
  /** Mean of (p⁺ − (1 − p⁻))² + min(p⁺, p⁻)², and the weight decay, of the restart that was taken. */
  loss: z.number().min(0),
  weightDecay: z.number().min(0),
  /** Each restart, and which one was taken: the one of the least loss. */
  restarts: z
    .array(z.object({ loss: z.number().min(0), iterations: countSchema, converged: z.boolean() }))
    .min(1),
  taken: countSchema,
  /** A pair scores (score of its positive row − score of its negative row − pairOffset) / 2. */
  pairOffset: z.number(),
  /** The loss knows no sign. Set by training labels: the share of labelled pairs that agree with it; else null and unresolved. */
  sign: z.object({
    resolved: z.boolean(),
    agreement: shareSchema.nullable(),
    pairs: countSchema,
    reason: z.string().optional(),
  }),
});
export type CcsTraining = z.infer<typeof ccsTrainingSchema>;
