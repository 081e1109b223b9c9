import * as z from "zod";
import { eachOnce } from "./field.ts";
import { checkSteeringForm } from "./steering-form.ts";

/** Layers from 0, each once. */
export const layerList = z
  .array(z.int().nonnegative())
  .min(1)
  .refine(eachOnce, "each layer once")
  .meta({ uniqueItems: true });

/** A tensor as the wire carries it: base64 of C-order, little-endian bytes. */
const wireTensor = z.strictObject({
  data: z.string(),
  dtype: z.string(),
  original_dtype: z.string().optional(),
  shape: z.array(z.int().nonnegative()),
  compression: z.string().optional(),
});

/** A vector that is added to the residual stream: `[layers, hidden]` or `[layers, positions, hidden]`. */
export const wireSteeringVector = z
  .strictObject({
    activations: wireTensor,
    layer_indices: z.array(z.int().nonnegative()).min(1),
    scale: z.number().optional(),
    norm_match: z.boolean().optional(),
    position_indices: z.array(z.int().nonnegative()).min(1).nullable().optional(),
  })
  .superRefine(checkSteeringForm);

/** A tensor as the wire carries it. `shape` is in C order; `data` is base64 of little-endian bytes. */
export type WireTensor = z.input<typeof wireTensor>;

/** An element of `apply_steering_vectors`. */
export type WireSteeringVector = z.input<typeof wireSteeringVector>;
