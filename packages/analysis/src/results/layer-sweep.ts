import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { labelValueSchema } from "./label-value.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { probeNameSchema } from "./probe-name.ts";
import { recallAtFprSchema } from "./recall-at-fpr.ts";
import { probeTaskSchema } from "./trained-probe.ts";

/** Version 2: scores are named by their kind, further metrics and controls stand beside them. */
export const layerSweepVersion = 2;

/** Measures beside the score, of rows that the probe did not see; thresholds and calibrations come from its training rows. Only those that the labels allow. */
const heldOutMetricsSchema = z.object({
  /** Share of rows on the right side of the threshold; of classes: whose likeliest class is theirs. */
  accuracy: estimateSchema.optional(),
  /** The same, mean over classes. */
  balancedAccuracy: estimateSchema.optional(),
  /** Recall above thresholds (one an outer fold) that let at most `rate` of the training negatives pass, and the rate that the held-out ones had. */
  recall: z.array(recallAtFprSchema).optional(),
  /** Of probabilities by Platt's calibration on training rows. */
  brier: estimateSchema.optional(),
  ece: estimateSchema.optional(),
  /** In nats. */
  logLoss: estimateSchema.optional(),
  /** Rank correlation of predicted and true numbers. */
  spearman: estimateSchema.optional(),
});
export type HeldOutMetrics = z.infer<typeof heldOutMetricsSchema>;

/** One probe at one layer. `C` is the value that the inner folds chose most often, `perFoldC` the one of each outer fold. */
const layerProbeSchema = z.object({
  probe: probeNameSchema,
  C: z.number().positive().optional(),
  perFoldC: z.array(z.number().positive()).optional(),
  /** Cross-validated, of the kind that the sweep's `score` names; AUROC counts pairs of rows of one outer fold. */
  score: estimateSchema,
  metrics: heldOutMetricsSchema,
  converged: z.boolean(),
});

/** Permutation p: (1 + shuffles that score at least as high) / (1 + shuffles). */
const permutationSchema = z.object({
  p: shareSchema.nullable(),
  /** Against the best of all layers in each shuffle (maximum statistic): for all layers together. */
  correctedP: shareSchema.nullable(),
  shuffles: countSchema,
  reason: z.string().optional(),
});
export type SweepPermutation = z.infer<typeof permutationSchema>;

const layerControlsSchema = z.object({
  /** The probe that the inner folds chose at this layer, fitted anew on shuffled labels; interval over shuffles. */
  shuffledLabels: estimateSchema,
  /** Random Gaussian directions, fitted to training rows by sign (numbers: by a line); interval over directions. */
  randomDirection: estimateSchema,
  /** The same probe on a random label for each kind of token (Hewitt and Liang 2019): what it can learn by heart; interval over labellings. */
  controlTask: estimateSchema,
  /** Score less control task; interval over groups. */
  selectivity: estimateSchema,
});

const sweptLayerSchema = z.object({
  layer: z.int().min(-1),
  probes: z.array(layerProbeSchema).min(1),
  controls: layerControlsSchema,
  /** Of the probe that the inner folds chose at this layer. */
  permutation: permutationSchema,
});
export type SweptLayer = z.infer<typeof sweptLayerSchema>;

const layerChoiceSchema = z.object({
  layer: z.int().min(-1),
  probe: probeNameSchema,
  C: z.number().positive().optional(),
});
export type LayerChoice = z.infer<typeof layerChoiceSchema>;

/** What could explain the score without the layer's rows: its own score in the same folds, and how much higher the chosen probe scores on the same rows. */
const rivalSchema = z.object({
  score: estimateSchema,
  /** Chosen score less this one, on the same redrawn groups. */
  gain: estimateSchema,
  /** What was fitted, in words. */
  how: z.string(),
});
export type SweepRival = z.infer<typeof rivalSchema>;

const tokenFilterSchema = z.object({
  /** Rows left out of training and scoring. */
  leftOut: countSchema,
  n: countSchema,
  groups: countSchema,
  /** The chosen probe on all rows, and on those that are left. */
  with: estimateSchema,
  without: estimateSchema,
  how: z.string(),
});

export const layerSweepSchema = z.object({
  schemaVersion: z.literal(layerSweepVersion, {
    error: `${layerSweepVersion}: a sweep of another version has other numbers; run it again`,
  }),
  kind: z.literal("layer-sweep"),
  label: z.string(),
  task: probeTaskSchema,
  /** What `score` is everywhere in this document. */
  score: z.enum(["auroc", "macro-auroc", "r2"]),
  /** Of two classes: the label value that counts as positive. */
  positive: labelValueSchema.nullable(),
  /** Of more classes: their values. */
  classes: z.array(labelValueSchema).nullable(),
  /** Positive and negative rows; of more classes the rows of each; of numbers the rows above their mean, and the rest. */
  counts: z.array(countSchema),
  /** The column that defines the groups. */
  group: z.string(),
  /** How rows were split, pooled and resampled, in words. */
  split: z.string(),
  folds: z.int().min(3),
  seed: z.number(),
  random: z.string(),
  draws: countSchema,
  shuffles: countSchema,
  randomDirections: countSchema,
  n: countSchema,
  groups: countSchema,
  layers: z.array(sweptLayerSchema).min(1),
  chosen: layerChoiceSchema.extend({
    chosenBy: z.literal("inner folds"),
    /** Inner-fold score that made the choice: it is the best of many, so it flatters; quote `outerScore`. */
    innerScore: z.number(),
    /** The score of the whole procedure, choice included, on rows that took no part in it. */
    outerScore: estimateSchema,
    metrics: heldOutMetricsSchema,
    /** `correctedP` is against the best layer of each shuffle, so the choice is paid for. */
    permutation: permutationSchema,
    /** The least difference of two scores of other rows, both as uncertain as this one, that a test at 5 % finds with 80 % power. */
    smallestDifference: z.object({ value: z.number().nullable(), reason: z.string().optional() }),
    perFoldChoices: z.array(layerChoiceSchema.extend({ innerScore: z.number() })),
  }),
  controls: z.object({
    promptLength: rivalSchema,
    bagOfTokens: rivalSchema,
    /** Layer −1 (token embeddings), else layer 0. */
    floor: rivalSchema.extend({ layer: z.int().min(-1).nullable() }),
    /** The chosen probe on Gaussian numbers in place of the layer's rows: what as many free features can learn. */
    randomFeatures: rivalSchema,
  }),
  tokenFilter: tokenFilterSchema.optional(),
  verdict: z.object({
    /** `explained`: a control scores as well. `not shown`: no better than shuffled labels. */
    finding: z.enum(["shown", "explained", "not shown", "undefined"]),
    text: z.string(),
  }),
  notes: z.array(z.string()),
});
export type LayerSweep = z.infer<typeof layerSweepSchema>;
export type SweepControls = LayerSweep["controls"];
export type SweepVerdict = LayerSweep["verdict"];
export type TokenFilterScores = z.infer<typeof tokenFilterSchema>;
