import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema } from "./number-schemas.ts";
import { probeNameSchema } from "./probe-name.ts";
import { versionSchema } from "./result-version.ts";

const transferCellSchema = z.object({
  /** Names of the datasets that the probe was fitted on and scored on. */
  train: z.string(),
  test: z.string(),
  /** The same dataset: held-out scores of a nested cross-validation, since a probe is no test of its own rows. */
  diagonal: z.boolean(),
  /** Interval: whole groups of the dataset scored on are redrawn, the probe as fitted. */
  score: estimateSchema,
  C: z.number().positive().optional(),
  /** Rows fitted on (of the diagonal, all). */
  trained: countSchema,
  /** Rows of the training dataset that were left out, since their groups are in the other one too. */
  leftOut: countSchema,
});
export type TransferCell = z.infer<typeof transferCellSchema>;

export const transferMatrixSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("transfer-matrix"),
  label: z.string(),
  layer: z.int().min(-1),
  probe: probeNameSchema,
  score: z.enum(["auroc", "r2"]),
  folds: z.int().min(3),
  seed: z.number(),
  random: z.string(),
  draws: countSchema,
  datasets: z.array(z.object({ name: z.string(), n: countSchema, groups: countSchema })).min(2),
  /** Row by row: every dataset as training set, scored on every one. */
  cells: z.array(transferCellSchema).min(4),
  notes: z.array(z.string()),
});
export type TransferMatrix = z.infer<typeof transferMatrixSchema>;
