import { z } from "zod";
import { labelValueSchema } from "./label-value.ts";
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
  /** Rows of the positive class and of all others; of a label of numbers, rows above its mean and the rest. */
  n: z.object({ positive: countSchema, negative: countSchema }),
  source: z.object({
    label: z.string(),
    /** null: the label is a number, and the direction leads to larger ones. */
    positive: labelValueSchema.nullable(),
    model: z.string().optional(),
  }),
});
export type DirectionJSON = z.infer<typeof directionSchema>;
