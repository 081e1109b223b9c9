import { z } from "zod";

/** A row scores `row · weights[k] + bias[k]` in column k, in raw space: `weights` is `[columns, width]`, `bias` `[columns]`. */
export const linearScorerSchema = z.object({
  kind: z.literal("linear"),
  weights: z.array(z.array(z.number()).min(1)).min(1),
  bias: z.array(z.number()).min(1),
});
export type LinearScorerData = z.infer<typeof linearScorerSchema>;

/** What a trained probe computes of a row, as data: each kind has its reader in `probes/trained/scorer-of.ts`. */
export const scorerSchema = z.discriminatedUnion("kind", [linearScorerSchema]);
export type ScorerData = z.infer<typeof scorerSchema>;
