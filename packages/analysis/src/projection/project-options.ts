import { z } from "zod";
import { rowChoiceSchema, type RowChoice } from "../probes/row-choice.ts";

export interface ProjectOptions {
  layer: number;
  /** Column of classes, at most 50: texts, true and false, or numbers. Rows without a value are left out. */
  label: string;
  /** The column whose values are never on both sides of a fit. Default: `group`, else `example` (one row each). */
  group?: string;
  /** `pca` (default): labels unseen. `lda`: axes that part the classes, each row placed by a fit without its group. */
  method?: "pca" | "lda";
  where?: RowChoice;
  /** Of `lda` (default 5). */
  folds?: number;
  seed?: number;
  /** What an ellipse holds of a normal cloud (default 0.95). */
  share?: number;
  /** Most points in the result, drawn at random; axes and ellipses are of all rows (default 2000). */
  points?: number;
}

export const projectOptionsSchema = z.strictObject({
  layer: z.int().min(-1),
  label: z.string().min(1),
  group: z.string().min(1).optional(),
  method: z.enum(["pca", "lda"]).default("pca"),
  where: rowChoiceSchema.optional(),
  folds: z.int().min(2).max(255).default(5),
  seed: z.number().default(0),
  share: z.number().gt(0).lt(1).default(0.95),
  points: z.int().min(1).default(2000),
});
export type CheckedProjectOptions = z.output<typeof projectOptionsSchema>;
