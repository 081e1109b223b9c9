import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

const candidateSchema = z.object({
  layer: z.int().min(0),
  /** Negative: counted from the prompt's last token. */
  position: z.int(),
  norm: z.number().min(0),
  /** Mean score of harmful prompts with the direction ablated at every layer: low is good. */
  bypass: estimateSchema,
  /** Mean score of harmless prompts with the direction added at its layer. Null where the candidate fell out before. */
  induce: estimateSchema.nullable(),
  /** Mean KL(plain ‖ ablated) of the next token after harmless prompts, in nats: a lower bound, over the likeliest tokens and one rest. */
  kl: estimateSchema.nullable(),
  /** Why it cannot be chosen, in words. */
  rejected: z.array(z.string()),
});
export type SelectionCandidate = z.infer<typeof candidateSchema>;

export const directionSelectionSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("direction-selection"),
  model: z.string(),
  /** Tokens whose summed probability p gives the score log p − log(1 − p). */
  tokens: z.array(z.string()).min(1),
  limits: z.object({ maxKl: z.number(), minInduce: z.number(), dropLast: z.number() }),
  /** Decoder blocks of the model, and the first layer that is too late. */
  depth: countSchema,
  lateFrom: countSchema,
  /** Without any intervention. */
  baseline: z.object({ harmful: estimateSchema, harmless: estimateSchema }),
  candidates: z.array(candidateSchema).min(1),
  /** The allowed candidate of the lowest bypass score; null when none is allowed. */
  chosen: z.object({ layer: z.int().min(0), position: z.int() }).nullable(),
  verdict: z.string(),
  seed: z.number(),
  draws: countSchema,
});
export type DirectionSelection = z.infer<typeof directionSelectionSchema>;
