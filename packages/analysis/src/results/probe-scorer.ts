import { z } from "zod";

/** A row scores `row · weights[k] + bias[k]` in column k, in raw space: `weights` is `[columns, width]`, `bias` `[columns]`. */
export const linearScorerSchema = z.object({
  kind: z.literal("linear"),
  weights: z.array(z.array(z.number()).min(1)).min(1),
  bias: z.array(z.number()).min(1),
});
export type LinearScorerData = z.infer<typeof linearScorerSchema>;

/** float64 numbers in the machine order of little-endian, `[rows, columns]`: a list of millions of numbers as text would be three times as long. */
export const packedMatrixSchema = z.object({
  rows: z.int().min(0),
  columns: z.int().min(1),
  float64: z.base64(),
});
export type PackedMatrix = z.infer<typeof packedMatrixSchema>;

/**
 * A row x scores `sign · √(Σ diagonal · r² + Σₖ (left[k] · r)(right[k] · r) · part)` with r = x − center: a Mahalanobis distance. `left`
 * null stands for the unit vectors.
 */
export const distanceScorerSchema = z.object({
  kind: z.literal("distance"),
  center: z.array(z.number()).min(1),
  diagonal: z.array(z.number()).min(1),
  left: packedMatrixSchema.nullable(),
  right: packedMatrixSchema,
  part: z.union([z.literal(1), z.literal(-1)]),
  sign: z.union([z.literal(1), z.literal(-1)]),
});
export type DistanceScorerData = z.infer<typeof distanceScorerSchema>;

const columnsSchema = z.object({
  weights: z.array(z.array(z.number()).min(1)).min(1),
  bias: z.array(z.number()).min(1),
});

/** A row scores `output · max(0, hidden · row + bias) + bias`, in raw space: hidden weights `[units, width]`, output ones `[columns, units]`. */
const mlpScorerSchema = z.object({
  kind: z.literal("mlp"),
  hidden: columnsSchema,
  output: columnsSchema,
});
export type MlpScorerData = z.infer<typeof mlpScorerSchema>;

/**
 * A sequence scores `bias[k] + Σ_h Σ_rows softmax(queries[h] · row) (values[h · columns + k] · row + valueBias)` in column k, in raw space.
 */
const attentionScorerSchema = z.object({
  kind: z.literal("attention"),
  queries: z.array(z.array(z.number()).min(1)).min(1),
  values: z.array(z.array(z.number()).min(1)).min(1),
  valueBias: z.array(z.number()).min(1),
  bias: z.array(z.number()).min(1),
});
export type AttentionScorerData = z.infer<typeof attentionScorerSchema>;

/** What a trained probe computes of a row, as data: each kind has its reader in `probes/trained/scorer-of.ts`. */
export const scorerSchema = z.discriminatedUnion("kind", [
  linearScorerSchema,
  distanceScorerSchema,
  mlpScorerSchema,
  attentionScorerSchema,
]);
export type ScorerData = z.infer<typeof scorerSchema>;
