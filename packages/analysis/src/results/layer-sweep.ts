import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema } from "./number-schemas.ts";
import { probeNameSchema } from "./probe-name.ts";
import { versionSchema } from "./result-version.ts";

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
  schemaVersion: versionSchema,
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
  draws: countSchema,
  shuffles: countSchema,
  randomDirections: countSchema,
  n: countSchema,
  positives: countSchema,
  groups: countSchema,
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
