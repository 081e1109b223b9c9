import type { Intervention } from "./interventions.ts";
import type { ModelConfig } from "./model-config.ts";
import { isWhole, requireField } from "./require-field.ts";
import type { SteeringVector } from "./steering.ts";

/**
 * Throws EngineRequestError for a layer that the model does not have, or that is named twice. `lowest` is -1 where token
 * embeddings count as a layer.
 */
export function checkLayers(
  field: string,
  layers: readonly number[],
  config: ModelConfig,
  lowest: 0 | -1 = 0,
): void {
  const strange = layers.find(
    (layer, i) => !isWhole(layer, lowest, config.layers - 1) || layers.indexOf(layer) !== i,
  );
  requireField(
    strange === undefined,
    field,
    `names layer ${strange}; layers run from ${lowest} to ${config.layers - 1}, each once`,
  );
}

/** Throws EngineRequestError for a steering vector that cannot be added. */
export function checkSteering(field: string, vector: SteeringVector, config: ModelConfig): void {
  const { layers, rows, positions, scale } = vector;
  checkLayers(`${field}.layers`, layers, config);
  const count = positions?.length ?? 1;
  const numbers = layers.length * count * config.hiddenSize;
  requireField(
    rows.length === numbers,
    `${field}.rows`,
    `has ${rows.length} numbers where ${layers.length} layers × ${count} positions × ${config.hiddenSize} hidden size = ${numbers} are due`,
  );
  requireField(rows.every(Number.isFinite), `${field}.rows`, "holds a number that is not finite");
  requireField(Number.isFinite(scale), `${field}.scale`, `is ${scale}; give a finite number`);
  checkPositions(`${field}.positions`, positions);
}

/** Throws EngineRequestError for an intervention that cannot be made. */
export function checkIntervention(field: string, intervention: Intervention, config: ModelConfig): void {
  const { kind, layers, direction, positions } = intervention;
  requireField(
    kind === "ablate" || kind === "clamp",
    `${field}.kind`,
    `is ${JSON.stringify(kind)}; give "ablate" or "clamp"`,
  );
  checkLayers(`${field}.layers`, layers, config);
  requireField(
    direction.length === config.hiddenSize,
    `${field}.direction`,
    `has ${direction.length} numbers; give one direction of the hidden size, ${config.hiddenSize}`,
  );
  requireField(direction.every(Number.isFinite), `${field}.direction`, "holds a number that is not finite");
  requireField(
    direction.some((value) => value !== 0),
    `${field}.direction`,
    "is zero, which is no direction",
  );
  if (kind === "clamp") {
    const { value } = intervention;
    requireField(Number.isFinite(value), `${field}.value`, `is ${value}; give a finite number`);
  }
  checkPositions(`${field}.positions`, positions);
}

function checkPositions(field: string, positions: readonly number[] | null): void {
  const position = positions?.find((at) => !isWhole(at, 0));
  requireField(
    position === undefined,
    field,
    `names position ${position}; positions are whole numbers from 0`,
  );
}
