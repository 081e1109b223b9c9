import { z } from "zod";
import { versionSchema } from "./result-version.ts";

/** Scores of one prompt's tokens at several layers: what a probe or a direction of each layer says of each row. */
export const tokenScoresSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("token-scores"),
  model: z.string().nullable(),
  /** What the scores measure. */
  score: z.string(),
  /** What scores above and below the threshold speak for. */
  above: z.string().nullable(),
  below: z.string().nullable(),
  tokens: z
    .array(
      z.object({
        /** Absolute, from 0. */
        position: z.int().min(0),
        id: z.int().min(0).nullable(),
        text: z.string().nullable(),
        role: z.enum(["prompt", "generated"]),
      }),
    )
    .min(1),
  layers: z
    .array(
      z.object({
        layer: z.int().min(-1),
        /** Of this layer's probe; scores of several layers are comparable only above and below it. */
        threshold: z.number(),
        /** `[tokens]`; null where no row was captured. */
        scores: z.array(z.number().nullable()),
      }),
    )
    .min(1),
});
export type TokenScores = z.infer<typeof tokenScoresSchema>;
