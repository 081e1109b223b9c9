import { z } from "zod";

/**
 * The results of this package as plain JSON, checked by zod. What cannot be computed is `null` with its reason, never NaN:
 * every document survives `JSON.parse(JSON.stringify(…))` unchanged.
 */
export const resultSchemaVersion = 1;

const version = z.literal(resultSchemaVersion);
const share = z.number().min(0).max(1);
const count = z.int().min(0);

/**
 * A number with its interval. `value`, `low` and `high` are null together with a `reason` when the number is undefined;
 * an interval alone can be missing (`low` and `high` null), also with its reason.
 */
export const estimateSchema = z.object({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** How many rows, prompts, shuffles, directions or twins the value rests on. */
  n: count.optional(),
  /** How many groups (clusters) were resampled for the interval. */
  groups: count.optional(),
  /** Bootstrap draws in which the number was undefined (one class only, say): left out of the interval, counted here. */
  undefinedDraws: count.optional(),
  reason: z.string().optional(),
});
export type Estimate = z.infer<typeof estimateSchema>;

const probeNameSchema = z.enum(["difference-of-means", "logistic"]);
export type ProbeName = z.infer<typeof probeNameSchema>;

/** One probe at one layer. `C` is the value that the inner folds chose most often, `perFoldC` the one of each outer fold. */
const layerProbeSchema = z.object({
  probe: probeNameSchema,
  C: z.number().positive().optional(),
  perFoldC: z.array(z.number().positive()).optional(),
  /** Cross-validated: pairs of rows of one outer fold, scored by the probe fitted without that fold. */
  auroc: estimateSchema,
  /** Share of rows on the right side of the probe's own threshold (from its training rows). */
  accuracy: estimateSchema.optional(),
  converged: z.boolean(),
});

const layerControlsSchema = z.object({
  /** The probe that the inner folds chose at this layer, fitted anew on shuffled labels; interval over shuffles. */
  shuffledLabels: estimateSchema,
  /** Random Gaussian directions, sign set on training rows; interval over directions. */
  randomDirection: estimateSchema,
});

const sweptLayerSchema = z.object({
  layer: z.int().min(0),
  probes: z.array(layerProbeSchema).min(1),
  controls: layerControlsSchema,
});
export type SweptLayer = z.infer<typeof sweptLayerSchema>;

const layerChoiceSchema = z.object({
  layer: z.int().min(0),
  probe: probeNameSchema,
  C: z.number().positive().optional(),
});
export type LayerChoice = z.infer<typeof layerChoiceSchema>;

export const layerSweepSchema = z.object({
  schemaVersion: version,
  kind: z.literal("layer-sweep"),
  label: z.string(),
  /** The label value that counts as positive. */
  positive: z.union([z.string(), z.number(), z.boolean()]),
  /** The column that defines the groups. */
  group: z.string(),
  /** How rows were split, pooled and resampled, in words. */
  split: z.string(),
  folds: z.int().min(3),
  seed: z.number(),
  random: z.string(),
  draws: count,
  shuffles: count,
  randomDirections: count,
  n: count,
  positives: count,
  groups: count,
  layers: z.array(sweptLayerSchema).min(1),
  chosen: layerChoiceSchema.extend({
    chosenBy: z.literal("inner folds"),
    /** Inner-fold AUROC that made the choice: it is the best of many, so it flatters; quote `outerAuroc`. */
    innerAuroc: z.number(),
    /** The score of the whole procedure, choice included, on rows that took no part in it. */
    outerAuroc: estimateSchema,
    perFoldChoices: z.array(layerChoiceSchema.extend({ innerAuroc: z.number() })),
  }),
  notes: z.array(z.string()),
});
export type LayerSweep = z.infer<typeof layerSweepSchema>;

/** A direction as JSON: `vector` holds float32 values as numbers. */
export const directionSchema = z.object({
  schemaVersion: version,
  kind: z.literal("direction"),
  layer: z.int().min(0),
  vector: z.array(z.number()).min(1),
  norm: z.number().min(0),
  /** Name and formula, since "mass-mean" alone means three things in the literature. */
  method: z.string(),
  n: z.object({ positive: count, negative: count }),
  source: z.object({
    label: z.string(),
    positive: z.union([z.string(), z.number(), z.boolean()]),
    model: z.string().optional(),
  }),
});
export type DirectionJSON = z.infer<typeof directionSchema>;

const perplexitySchema = z.object({
  value: z.number(),
  /** Over the perplexity at scale 0 of the same texts. */
  ratio: z.number(),
  tokens: count,
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
  count,
  /** Mean over twins of the share of all prompts turned to the other choice; interval of that mean over twins. */
  flipped: estimateSchema,
  toFirst: estimateSchema,
  toSecond: estimateSchema,
  valid: estimateSchema,
  /** The largest share turned by any one twin. */
  max: share,
});
export type SteeredTwins = z.infer<typeof steeredTwinsSchema>;

export const steeringEvaluationSchema = z.object({
  schemaVersion: version,
  kind: z.literal("steering-evaluation"),
  model: z.string(),
  layer: z.int().min(0),
  directionNorm: z.number().min(0),
  directionMethod: z.string(),
  choices: z.tuple([z.string(), z.string()]),
  seed: z.number(),
  random: z.string(),
  draws: count,
  n: count,
  groups: count,
  baseline: z.object({
    /** Prompts whose answer at scale 0 is the choice that they carry: the rest take no part in the flips. */
    asExpected: estimateSchema,
    perplexity: z.number().nullable(),
  }),
  scales: z.array(steeredScaleSchema),
  twins: z.array(steeredTwinsSchema),
  /** What repeating the baseline changes: the smallest difference that can mean anything. */
  baselineNoise: z.object({
    repeats: count,
    /** Largest change of the log probability difference of one prompt between repeats, in nats. */
    maxShift: z.number().min(0),
    meanShift: z.number().min(0),
    changedAnswers: count,
  }),
  notes: z.array(z.string()),
});
export type SteeringEvaluation = z.infer<typeof steeringEvaluationSchema>;
