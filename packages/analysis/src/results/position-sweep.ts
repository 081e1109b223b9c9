import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { labelValueSchema } from "./label-value.ts";
import { countSchema } from "./number-schemas.ts";
import { probeNameSchema } from "./probe-name.ts";
import { versionSchema } from "./result-version.ts";

/** How well a label can be read at each layer and place of the prompt, cross-validated by group. */
export const positionSweepSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("position-sweep"),
  label: z.string(),
  positive: labelValueSchema,
  group: z.string(),
  probe: probeNameSchema,
  score: z.literal("auroc"),
  folds: z.int().min(2),
  seed: z.number(),
  random: z.string(),
  draws: countSchema,
  layers: z.array(z.int().min(-1)).min(1),
  /** From where positions are counted: 0 is the first token (BOS), or −1 each example's last row. */
  from: z.enum(["start", "end"]),
  positions: z.array(z.int()).min(1),
  /** Every layer at every position; a score's `n` counts the examples that have a row there. */
  cells: z
    .array(
      z.object({
        layer: z.int().min(-1),
        position: z.int(),
        /** The token at this position, where it is the same in all examples. */
        token: z.string().nullable(),
        score: estimateSchema,
      }),
    )
    .min(1),
  /** Examples. */
  n: countSchema,
  groups: countSchema,
  notes: z.array(z.string()),
});
export type PositionSweep = z.infer<typeof positionSweepSchema>;
