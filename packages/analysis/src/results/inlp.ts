import { z } from "zod";
import { eraserSchema } from "./eraser.ts";
import { estimateSchema } from "./estimate.ts";
import { countSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

/** What iterative nullspace projection did, round by round. */
export const inlpSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("inlp"),
  label: z.string(),
  layer: z.int().min(-1),
  /** Column of the groups that no fold parts. */
  group: z.string(),
  folds: z.int().min(2),
  C: z.number().positive(),
  seed: countSchema,
  /** How well held-out groups are told once `rank` dimensions are gone, learnt from the others alone; macro AUROC for more than two classes. */
  rounds: z.array(z.object({ rank: countSchema, auroc: estimateSchema })).min(1),
  /** chance: the last interval holds 0.5. rounds: as many as were allowed. nothing-left: no direction is left to take. */
  stopped: z.enum(["chance", "rounds", "nothing-left"]),
  /** Fitted on all rows, with the directions of as many rounds as came before the last score. */
  eraser: eraserSchema,
});
export type Inlp = z.infer<typeof inlpSchema>;
