import type { Intervention } from "../interventions.ts";
import { z } from "zod";
import { invalidRequest } from "./api-error.ts";
import { distinctLayers } from "./decode-steering.ts";
import type { ServedModel } from "./served-model.ts";
import { tensorSchema } from "./steering-schema.ts";
import { decodeTensor } from "./wire-tensor.ts";

const whole = z.number().int();

const where = {
  direction: tensorSchema(1, 1),
  layer_indices: z.array(whole.min(0)).min(1),
  position_indices: z.array(whole.min(0)).min(1).nullish(),
};

/**
 * An entry of `residua_interventions`: takes the stream's coefficient along a direction away (directional ablation) or
 * sets it to `value`. No other server knows the field.
 */
export const interventionSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ablate"), ...where }),
  z.strictObject({ kind: z.literal("clamp"), value: z.number(), ...where }),
]);

type WireIntervention = z.infer<typeof interventionSchema>;

/** An intervention for the engine. Throws ApiError 400, naming `field`. */
export function decodeIntervention(
  intervention: WireIntervention,
  field: string,
  { model: { config } }: ServedModel,
): Intervention {
  const { direction: tensor, layer_indices: layers, position_indices: positions } = intervention;
  if (tensor.shape[0] !== config.hiddenSize) {
    throw invalidRequest(
      `${field}.direction.shape: is [${tensor.shape.join(", ")}]; the model's hidden size is ${config.hiddenSize}`,
    );
  }
  const direction = decodeTensor(tensor, `${field}.direction`);
  if (direction.every((number) => number === 0))
    throw invalidRequest(`${field}.direction: holds zeros only, which is no direction`);
  const common = {
    layers: distinctLayers(layers, config.layers, `${field}.layer_indices`),
    direction,
    positions: positions ?? null,
  };
  return intervention.kind === "ablate"
    ? { kind: "ablate", ...common }
    : { kind: "clamp", value: intervention.value, ...common };
}
