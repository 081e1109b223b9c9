import * as z from "zod";
import { eachOnce } from "./field.ts";
import { wireTensor } from "./wire-tensor.ts";

/** Layers from 0, each once. */
export const layerList = z
  .array(z.int().nonnegative())
  .min(1)
  .refine(eachOnce, "each layer once")
  .meta({ uniqueItems: true });

/** A vector that is added to the residual stream: `[layers, hidden]` or `[layers, positions, hidden]`. */
export const wireSteeringVector = z
  .strictObject({
    activations: wireTensor,
    layer_indices: z.array(z.int().nonnegative()).min(1),
    scale: z.number().optional(),
    norm_match: z.boolean().optional(),
    position_indices: z.array(z.int().nonnegative()).min(1).nullish(),
  })
  .superRefine(({ activations: { shape }, layer_indices: layers, position_indices: positions }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const [rows, middle] = shape;
    if (rows !== layers.length)
      refuse("layer_indices", `${layers.length} layers for ${rows} rows of activations`);
    if (new Set(layers).size !== layers.length)
      refuse("layer_indices", "each layer once: of two rows the last would win");
    if (!positions) return;
    if (shape.length < 3)
      refuse("position_indices", "only with activations of three dimensions: ignored with two");
    else if (positions.length !== middle) {
      refuse("position_indices", `${positions.length} positions for ${middle} of activations`);
    }
  });

/** An element of `apply_steering_vectors`. */
export type WireSteeringVector = z.input<typeof wireSteeringVector>;
