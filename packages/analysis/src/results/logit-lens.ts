import { z } from "zod";
import { versionSchema } from "./result-version.ts";

const likelySchema = z.object({
  id: z.int().min(0),
  text: z.string(),
  /** In nats. */
  logprob: z.number(),
});

/** Each layer's rows read as if it were the last one. */
export const logitLensSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("logit-lens"),
  model: z.string(),
  tokens: z
    .array(z.object({ position: z.int().min(0), id: z.int().min(0).nullable(), text: z.string().nullable() }))
    .min(1),
  layers: z
    .array(
      z.object({
        layer: z.int().min(-1),
        /** `[tokens]`. */
        readings: z.array(
          z.object({
            /** The likeliest next tokens, falling. */
            top: z.array(likelySchema).min(1),
            /** Of the whole distribution, in nats. */
            entropy: z.number(),
            /** KL(final ‖ layer), in nats. */
            kl: z.number(),
          }),
        ),
      }),
    )
    .min(1),
});
export type LogitLensTable = z.infer<typeof logitLensSchema>;
