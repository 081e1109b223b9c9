import { z } from "zod";

const whole = z.number().int();

/** A tensor as the wire carries it, of at least `least` and at most `most` dimensions. */
export function tensorSchema(least: number, most: number) {
  return z.strictObject({
    data: z.string(),
    dtype: z.enum(["float32", "float16", "int16"]),
    original_dtype: z.string().nullish(),
    shape: z.array(whole.min(1)).min(least).max(most),
    compression: z.enum(["zstd"]).nullish(),
  });
}

/** A steering vector as the wire carries it. */
export const steeringSchema = z.strictObject({
  activations: tensorSchema(2, 3),
  layer_indices: z.array(whole.min(0)).min(1),
  scale: z.number().default(1),
  norm_match: z.boolean().default(false),
  position_indices: z.array(whole.min(0)).min(1).nullish(),
});

export type WireSteeringVector = z.infer<typeof steeringSchema>;
export type WireTensor = z.infer<ReturnType<typeof tensorSchema>>;
