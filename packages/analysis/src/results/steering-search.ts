import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";
import { steeredScaleSchema } from "./steering-evaluation.ts";
import { twinComparisonSchema } from "./steering-measures.ts";

const cellSchema = z.object({
  layer: z.int().min(0),
  scale: z.number(),
  /** The objective on the half of the prompts that chooses. */
  gain: estimateSchema,
  /** Each limit of damage that it goes over, in words. */
  damage: z.array(z.string()),
  perplexityRatio: z.number().nullable(),
  /** KL(steered ‖ scale 0) of neutral text, nats a token. */
  kl: z.number().nullable(),
});
export type SearchedCell = z.infer<typeof cellSchema>;

export const steeringSearchSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("steering-search"),
  model: z.string(),
  /** What is made as large (`raise`) or as small (`lower`) as possible; a `gain` is counted in that sense. */
  objective: z.object({ metric: z.string(), aim: z.enum(["raise", "lower"]) }),
  directions: z
    .array(z.object({ layer: z.int().min(0), norm: z.number().min(0), method: z.string() }))
    .min(1),
  /** All scales of the grid, tried outward from 0. */
  scales: z.array(z.number()).min(1),
  limits: z.object({
    perplexityRatio: z.number().nullable(),
    valid: z.number().nullable(),
    looping: z.number().nullable(),
    kl: z.number().nullable(),
  }),
  seed: z.number(),
  random: z.string(),
  draws: countSchema,
  n: countSchema,
  groups: countSchema,
  /** Whole groups lie in one half. */
  split: z.object({
    choose: z.object({ n: countSchema, groups: countSchema }),
    estimate: z.object({ n: countSchema, groups: countSchema }),
  }),
  /** What was tried, in the order of layers and scales. */
  cells: z.array(cellSchema),
  /** Where a side of a layer ended at its first damage, and the scales beyond, which were not tried. */
  stopped: z.array(
    z.object({
      layer: z.int().min(0),
      scale: z.number(),
      damage: z.array(z.string()).min(1),
      untried: z.array(z.number()),
    }),
  ),
  /** Null when no undamaged cell gains anything on the choosing half. */
  winner: z
    .object({
      layer: z.int().min(0),
      scale: z.number(),
      /** On the half that chose it: the best of many, so it flatters. */
      chosenGain: estimateSchema,
      /** On the other half: quote this. */
      gain: estimateSchema,
      /** Everything else on the other half. */
      measured: steeredScaleSchema,
    })
    .nullable(),
  /** Random directions that searched the same undamaged cells on the same half, each with its best cell on the other. */
  twins: twinComparisonSchema.nullable(),
  /** The result in words. */
  verdict: z.string(),
  notes: z.array(z.string()),
});
export type SteeringSearch = z.infer<typeof steeringSearchSchema>;
