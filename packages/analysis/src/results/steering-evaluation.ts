import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

const perplexitySchema = z.object({
  value: z.number(),
  /** Over the perplexity at scale 0 of the same texts. */
  ratio: z.number(),
  tokens: countSchema,
});

const steeredScaleSchema = z.object({
  scale: z.number(),
  /** Share of prompts answered `choices[1]` at scale 0 that are answered `choices[0]` at this scale. */
  toFirst: estimateSchema,
  /** Share of prompts answered `choices[0]` at scale 0 that are answered `choices[1]` at this scale. */
  toSecond: estimateSchema,
  /** Share of prompts whose answer is one of the choices. */
  valid: estimateSchema,
  /** Mean change of log p(choices[0]) − log p(choices[1]) against scale 0, in nats. */
  shift: estimateSchema,
  /** The same change for two other tokens that were about as likely as the choices at scale 0. */
  controlShift: estimateSchema,
  perplexity: perplexitySchema.nullable(),
  /** In words, when the shift lies inside the noise of the repeated baseline. */
  verdict: z.string().optional(),
});
export type SteeredScale = z.infer<typeof steeredScaleSchema>;

const steeredTwinsSchema = z.object({
  scale: z.number(),
  count: countSchema,
  /** Mean over twins of the share of all prompts turned to the other choice; interval of that mean over twins. */
  flipped: estimateSchema,
  toFirst: estimateSchema,
  toSecond: estimateSchema,
  valid: estimateSchema,
  /** The largest share turned by any one twin. */
  max: shareSchema,
});
export type SteeredTwins = z.infer<typeof steeredTwinsSchema>;

export const steeringEvaluationSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("steering-evaluation"),
  model: z.string(),
  layer: z.int().min(0),
  directionNorm: z.number().min(0),
  directionMethod: z.string(),
  choices: z.tuple([z.string(), z.string()]),
  seed: z.number(),
  random: z.string(),
  draws: countSchema,
  n: countSchema,
  groups: countSchema,
  baseline: z.object({
    /** Prompts whose answer at scale 0 is the choice that they carry: the rest take no part in the flips. */
    asExpected: estimateSchema,
    perplexity: z.number().nullable(),
  }),
  scales: z.array(steeredScaleSchema),
  twins: z.array(steeredTwinsSchema),
  /** What repeating the baseline changes: the smallest difference that can mean anything. */
  baselineNoise: z.object({
    repeats: countSchema,
    /** Largest change of the log probability difference of one prompt between repeats, in nats. */
    maxShift: z.number().min(0),
    meanShift: z.number().min(0),
    changedAnswers: countSchema,
  }),
  notes: z.array(z.string()),
});
export type SteeringEvaluation = z.infer<typeof steeringEvaluationSchema>;
