import { z } from "zod";
import { labelValueSchema } from "./label-value.ts";
import { versionSchema } from "./result-version.ts";

/**
 * A projection that takes a concept out of rows: row − (right · (row − center))ᵀ · left. `left` and `right` are `[rank, width]`; a null
 * center stands for zeros.
 */
export const eraserContentSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("eraser"),
  /** leace: least squares. orthogonal: the span of the class means. inlp: the directions of repeated probes. */
  method: z.enum(["leace", "orthogonal", "inlp"]),
  /** What is computed, and what the covariance was held up by. */
  formula: z.string().min(1),
  layer: z.int().min(-1).nullable(),
  label: z.string().nullable(),
  width: z.int().min(1),
  rows: z.int().min(2),
  classes: z.array(labelValueSchema).min(2),
  center: z.array(z.number()).min(1).nullable(),
  left: z.array(z.array(z.number()).min(1)),
  right: z.array(z.array(z.number()).min(1)),
});
export type EraserContent = z.infer<typeof eraserContentSchema>;

export const eraserSchema = eraserContentSchema.extend({
  /** Of all other fields as JSON, in hex: a number that was changed is noticed. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex"),
});
export type EraserJSON = z.infer<typeof eraserSchema>;
