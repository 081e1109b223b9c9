import { z } from "zod";
import { labelValueSchema } from "./label-value.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { versionSchema } from "./result-version.ts";

/** Rows of a layer on a plane. */
export const projectionSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("projection"),
  /** `pca`: the two leading components of all rows. `lda`: discriminants fitted without the row's own group, so that no row is separated by its own label. */
  method: z.enum(["pca", "lda"]),
  layer: z.int().min(-1),
  label: z.string(),
  group: z.string(),
  /** Of two axes, in order. */
  axes: z
    .array(
      z.object({
        name: z.string(),
        /** Share of the rows' variance along it; null where the axes of folds differ. */
        variance: shareSchema.nullable(),
      }),
    )
    .length(2),
  classes: z.array(labelValueSchema).min(1),
  points: z
    .array(
      z.object({
        x: z.number(),
        y: z.number(),
        label: labelValueSchema,
        group: z.string(),
        example: z.string(),
      }),
    )
    .min(1),
  /** Of each class: its mean, and the ellipse that holds `share` of a normal cloud with its covariance. */
  ellipses: z.array(
    z.object({
      label: labelValueSchema,
      x: z.number(),
      y: z.number(),
      /** Half axes, the longer first, and the angle of the longer one from the x axis in radians. */
      a: z.number().min(0),
      b: z.number().min(0),
      angle: z.number(),
      share: shareSchema,
      n: countSchema,
    }),
  ),
  n: countSchema,
  groups: countSchema,
  notes: z.array(z.string()),
});
export type Projection = z.infer<typeof projectionSchema>;
