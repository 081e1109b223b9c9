import { z } from "zod";
import { versionSchema } from "./result-version.ts";

export const cosineMatrixSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("cosine-matrix"),
  width: z.int().min(1),
  directions: z
    .array(z.object({ name: z.string(), layer: z.int().min(-1).nullable(), norm: z.number().min(0) }))
    .min(2),
  /** Every pair once, each direction with itself left out. */
  pairs: z.array(
    z.object({
      first: z.string(),
      second: z.string(),
      cosine: z.number().min(-1).max(1).nullable(),
      reason: z.string().optional(),
    }),
  ),
  /** 95 % of the cosines of two random directions lie nearer 0. */
  chance: z.number(),
  notes: z.array(z.string()),
});
export type CosineMatrix = z.infer<typeof cosineMatrixSchema>;
