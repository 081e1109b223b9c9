import { z } from "zod";
import { countSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

/** A direction as JSON: `vector` holds float32 values as numbers. */
export const directionSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("direction"),
  layer: z.int().min(0),
  vector: z.array(z.number()).min(1),
  norm: z.number().min(0),
  /** Name and formula, since "mass-mean" alone means three things in the literature. */
  method: z.string(),
  n: z.object({ positive: countSchema, negative: countSchema }),
  source: z.object({
    label: z.string(),
    positive: z.union([z.string(), z.number(), z.boolean()]),
    model: z.string().optional(),
  }),
});
export type DirectionJSON = z.infer<typeof directionSchema>;
