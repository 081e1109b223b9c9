import { InvalidRequestError, type ModelDescription, ResiduaError, widthOf } from "@residua/client";
import { encodeTensor } from "../codec/tensor-codec.ts";
import type { LensProfile } from "../profiles/lens-profile.ts";
import { SteeringError } from "../steering/steering-error.ts";
import type { Intervention } from "./intervention.ts";

/** What a request's interventions go into. */
export interface InterventionTarget {
  model: ModelDescription;
  /** Most positions that the request can run. */
  positions: number;
}

/** An intervention as a server takes it that has any: Residua's own, in `residua_interventions`. */
export type WireIntervention = object;

/**
 * The wire form of interventions, checked against the model. Throws `not_available` where the profile's servers take none,
 * SteeringError and InvalidRequestError.
 */
export function prepareInterventions(
  { name, interventions: taken }: LensProfile,
  given: readonly Intervention[] | undefined,
  target: InterventionTarget,
): readonly WireIntervention[] | undefined {
  if (given === undefined || given.length === 0) return undefined;
  if (taken === undefined) {
    throw new ResiduaError(
      "not_available",
      `interventions (ablation and clamping) are made by a local model, and this lens reads a server of the profile ${name}: ` +
        "use openLocal(folder) of @residua/engine; `residua export --ablate` takes a direction out of the weights of a model folder for any server",
      { ability: "interventions", profile: name },
    );
  }
  if (given.length > taken.most) {
    const issue = {
      field: "interventions",
      given: `${given.length} interventions`,
      allowed: `at most ${taken.most}`,
    };
    throw new InvalidRequestError([issue]);
  }
  given.forEach((one, index) => checkIntervention(one, index, target));
  return given.map(wireIntervention);
}

function checkIntervention(
  { layers, direction, positions }: Intervention,
  index: number,
  { model, positions: runs }: InterventionTarget,
): void {
  const width = widthOf(model);
  if (width !== undefined && direction.length !== width) {
    throw new SteeringError(
      "steering_width",
      `intervention ${index} has a direction of ${direction.length} numbers, and the model's hidden size is ${width}`,
      { width: direction.length, hiddenSize: width },
    );
  }
  const count = model.layers.value ?? Infinity;
  const beyond = layers.find((layer) => layer >= count);
  if (beyond !== undefined) {
    throw new SteeringError(
      "steering_layer",
      `intervention ${index} has layer ${beyond}; allowed: 0 to ${count - 1}`,
    );
  }
  const late = positions?.find((position) => position >= runs);
  if (late !== undefined) {
    throw new SteeringError(
      "steering_positions",
      `intervention ${index} has position ${late}; this request runs at most positions 0 to ${runs - 1}, so nothing would be done there`,
      { position: late, positions: runs },
    );
  }
}

function wireIntervention({ layers, direction, positions, ...what }: Intervention): WireIntervention {
  return {
    ...what,
    direction: encodeTensor(direction, [direction.length]),
    layer_indices: [...layers],
    ...(positions !== null && { position_indices: [...positions] }),
  };
}
