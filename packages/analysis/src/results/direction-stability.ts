import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema } from "./number-schemas.ts";
import { probeNameSchema } from "./probe-name.ts";
import { versionSchema } from "./result-version.ts";

export const directionStabilitySchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("direction-stability"),
  label: z.string(),
  layer: z.int().min(-1),
  probe: probeNameSchema,
  C: z.number().positive().optional(),
  seed: z.number(),
  random: z.string(),
  draws: countSchema,
  n: countSchema,
  groups: countSchema,
  /** Mean cosine of the directions refitted on redrawn groups with the direction of all rows; the middle 95 % of draws. */
  toFull: estimateSchema,
  /** Of refits on two halves of the groups, which share no row, with each other: what another sample of half the size would find. */
  halves: estimateSchema,
  /** 1.96 / √width: 95 % of the cosines of two random directions lie nearer 0. */
  chance: z.number(),
  notes: z.array(z.string()),
});
export type DirectionStability = z.infer<typeof directionStabilitySchema>;
