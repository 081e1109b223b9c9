import { z } from "zod";

/**
 * How the scores of a sequence's tokens become one: their mean, the largest, the last, a mean that weighs each by
 * exp(score / temperature), or the last (or largest) of the moving average e ← decay · e + (1 − decay) · score, which starts at the first
 * score.
 */
export const scorePoolSchema = z.union(
  [
    z.enum(["mean", "max", "last"]),
    z.strictObject({ kind: z.literal("softmax"), temperature: z.number().gt(0) }),
    z.strictObject({
      kind: z.literal("ema"),
      decay: z.number().min(0).lt(1),
      take: z.enum(["last", "max"]).optional(),
    }),
  ],
  '"mean", "max", "last", { kind: "softmax", temperature: above 0 } or { kind: "ema", decay: from 0 to below 1, take: "last" or "max" }',
);
export type ScorePool = z.infer<typeof scorePoolSchema>;
