import { z } from "zod";

const whole = z.number().int();

const tensorSchema = z.strictObject({
  data: z.string(),
  dtype: z.enum(["float32", "float16", "int16"]),
  original_dtype: z.string().nullish(),
  shape: z.array(whole.min(1)).min(2).max(3),
  compression: z.enum(["zstd"]).nullish(),
});

/** A steering vector as the wire carries it. */
export const steeringSchema = z.strictObject({
  activations: tensorSchema,
  layer_indices: z.array(whole.min(0)).min(1),
  scale: z.number().default(1),
  norm_match: z.boolean().default(false),
  position_indices: z.array(whole.min(0)).min(1).nullish(),
});

export type WireSteeringVector = z.infer<typeof steeringSchema>;
export type WireTensor = z.infer<typeof tensorSchema>;
