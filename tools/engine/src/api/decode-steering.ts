import type { SteeringVector } from "../steering.ts";
import { invalidRequest } from "./api-error.ts";
import type { ServedModel } from "./served-model.ts";
import type { WireSteeringVector } from "./steering-schema.ts";
import { decodeTensor } from "./wire-tensor.ts";

/** The layers as they were asked for. Throws ApiError 400 for one that the model lacks or that comes twice. */
export function distinctLayers(asked: readonly number[], layers: number, field: string): number[] {
  const seen = new Set<number>();
  for (const layer of asked) {
    if (layer >= layers)
      throw invalidRequest(`${field}: layer ${layer} is out of range; layers run from 0 to ${layers - 1}`);
    if (seen.has(layer)) throw invalidRequest(`${field}: layer ${layer} is named twice; name each once`);
    seen.add(layer);
  }
  return [...asked];
}

/**
 * Refuses positions that no token of a request can have: they would change nothing. `runs` is how many tokens can run,
 * prompt tokens + max_tokens - 1. Throws ApiError 400, naming `field`.
 */
export function checkReach(
  edits: readonly { readonly positions: readonly number[] | null }[],
  field: string,
  runs: number,
): void {
  edits.forEach(({ positions }, index) => {
    const beyond = positions?.find((position) => position >= runs);
    if (beyond === undefined) return;
    throw invalidRequest(
      `${field}[${index}].position_indices: ${beyond} is beyond the last position that can run, ${runs - 1} (prompt tokens + max_tokens - 2)`,
    );
  });
}

/** A steering vector for the engine. Throws ApiError 400, naming `field`. */
export function decodeSteering(
  vector: WireSteeringVector,
  field: string,
  { model: { config } }: ServedModel,
): SteeringVector {
  const { activations, layer_indices: layers, position_indices: indices } = vector;
  const { shape } = activations;
  if (shape[0] !== layers.length) {
    throw invalidRequest(
      `${field}.layer_indices: ${layers.length} layers for a shape of [${shape.join(", ")}]; the first number is that of the layers`,
    );
  }
  distinctLayers(layers, config.layers, `${field}.layer_indices`);
  if (shape.at(-1) !== config.hiddenSize) {
    throw invalidRequest(
      `${field}.activations.shape: ends in ${shape.at(-1)}; the model's hidden size is ${config.hiddenSize}`,
    );
  }
  if (shape.length === 2 && indices != null) {
    throw invalidRequest(
      `${field}.position_indices: goes with a shape of [layers, positions, hidden]; a shape of [layers, hidden] is added at every position`,
    );
  }
  if (shape.length === 3 && indices != null && indices.length !== shape[1]) {
    throw invalidRequest(
      `${field}.position_indices: ${indices.length} positions for a shape of [${shape.join(", ")}]; give ${shape[1]}`,
    );
  }
  return {
    layers,
    rows: decodeTensor(activations, `${field}.activations`),
    positions:
      shape.length === 2 ? null : (indices ?? Array.from({ length: shape[1]! }, (_, position) => position)),
    scale: vector.scale,
    normMatch: vector.norm_match,
  };
}
