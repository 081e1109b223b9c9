import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";
import {
  loopsSchema,
  neutralShiftSchema,
  perplexitySchema,
  scorerResultSchema,
  targetShiftSchema,
  twinComparisonSchema,
} from "./steering-measures.ts";

export const steeredScaleSchema = z.object({
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
  /** Null where no target was given. */
  target: targetShiftSchema.nullable(),
  perplexity: perplexitySchema.nullable(),
  /** Null where no neutral text was given, or only its perplexity was asked for. */
  neutral: neutralShiftSchema.nullable(),
  /** Null where no text was generated. */
  loops: loopsSchema.nullable(),
  scorers: z.array(scorerResultSchema),
  /** Each limit of damage that this scale goes over, in words. */
  damage: z.array(z.string()),
  /** In words, when the mean shift lies inside the noise of the repeated baseline's mean. */
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
  /** Flips, target and scorers of the direction beside those of the twins. */
  comparisons: z.array(twinComparisonSchema),
});
export type SteeredTwins = z.infer<typeof steeredTwinsSchema>;

const damagedScaleSchema = z.object({ scale: z.number(), damage: z.array(z.string()).min(1) }).nullable();

export const steeringEvaluationSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("steering-evaluation"),
  model: z.string(),
  /** The lowest steered layer. */
  layer: z.int().min(0),
  /** Every layer that the direction was added at, all at once, with the norm of what was added at scale 1. */
  layers: z.array(z.object({ layer: z.int().min(0), norm: z.number().min(0) })).min(1),
  /** Norm at `layer`. */
  directionNorm: z.number().min(0),
  directionMethod: z.string(),
  /** Null where no two answers were given: flips, valid and shifts are then undefined. */
  choices: z.tuple([z.string(), z.string()]).nullable(),
  /** Null where no target was given. */
  target: z
    .object({
      tokens: z.array(z.string()).min(1),
      /** Control tokens of each prompt at most, and how far from the target they may lie at scale 0, in nats. */
      controls: countSchema,
      controlGap: z.number().positive(),
    })
    .nullable(),
  seed: z.number(),
  random: z.string(),
  draws: countSchema,
  n: countSchema,
  groups: countSchema,
  baseline: z.object({
    /** Prompts whose answer at scale 0 is the choice that they carry: the rest take no part in the flips. */
    asExpected: estimateSchema,
    perplexity: z.number().nullable(),
    /** Mean entropy of the neutral texts' next-token distributions at scale 0, in nats. */
    entropy: z.number().nullable(),
  }),
  scales: z.array(steeredScaleSchema),
  /** Random directions of equal norm. */
  twins: z.array(steeredTwinsSchema),
  /** Directions refitted on shuffled labels, of equal norm; empty where none were given. */
  shuffledTwins: z.array(steeredTwinsSchema),
  /** What repeating the baseline changes: the smallest difference that can mean anything. */
  baselineNoise: z.object({
    repeats: countSchema,
    /** Largest change of the log probability difference of one prompt between repeats, in nats. */
    maxShift: z.number().min(0),
    meanShift: z.number().min(0),
    /**
     * How far the mean over prompts may move between repeats: the end of its 95 % interval that is farther from 0. A shift inside it is no
     * difference.
     */
    shiftOfMean: z.number().min(0),
    changedAnswers: countSchema,
    /** Largest change of one prompt's target log probability less its controls' between repeats, in nats. */
    maxNet: z.number().min(0),
    /** As `shiftOfMean`, of the target log probability less its controls'. */
    netOfMean: z.number().min(0),
    /** Largest mean KL of the neutral texts between repeats. */
    maxKl: z.number().min(0),
  }),
  /** The curve over scales as a whole. */
  dose: z.object({
    /** What is looked at: the net target shift, else the first scorer's change, else the share turned to choices[0] less that to choices[1]. */
    metric: z.string(),
    /** Never falls from one undamaged scale to the next, or never rises; null where it is flat, or fewer than three scales are defined. */
    monotone: z.boolean().nullable(),
    /** Going outward from 0, the first scale on each side that does damage. */
    firstDamage: z.object({ negative: damagedScaleSchema, positive: damagedScaleSchema }),
  }),
  scorers: z.array(z.object({ name: z.string(), kind: z.string(), method: z.string() })),
  /** Where a judge and another scorer read the same texts: the share of them on which they disagree (each rounded at one half). */
  disagreements: z.array(
    z.object({ scorers: z.tuple([z.string(), z.string()]), scale: z.number(), share: estimateSchema }),
  ),
  notes: z.array(z.string()),
});
export type SteeringEvaluation = z.infer<typeof steeringEvaluationSchema>;
