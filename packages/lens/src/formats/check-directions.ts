import type { Direction } from "../steering/direction.ts";
import { checkFormatArguments } from "../arguments/check-arguments.ts";
import { aNumber, fields, floats, listOf, optional, whole } from "../arguments/kinds.ts";
import { FormatError } from "./format-error.ts";

/** What of a direction is written. */
export type LayerVector = Pick<Direction, "layer" | "vector">;

/** What is known of the model that directions belong to. */
export interface ModelSize {
  readonly hiddenSize?: number;
  readonly layers?: number;
}

export const modelFields = { hiddenSize: optional(whole(1)), layers: optional(whole(1)) };
export const modelKind = fields(modelFields);
const directionsKind = listOf(fields({ layer: aNumber, vector: floats }, { loose: true }));

/**
 * Refuses directions that a reader would take for others or skip in silence: none, a layer twice, widths that differ, a NaN
 * or infinity, and what does not fit the model. Errors `format_invalid`, `format_value`. `called` begins the message.
 */
export function checkDirections(directions: readonly LayerVector[], model: ModelSize, called: string): void {
  checkFormatArguments(called, { directions: [directions, directionsKind], model: [model, modelKind] });
  const { hiddenSize, layers } = model;
  const refuse = (problem: string, data: Readonly<Record<string, unknown>> = {}): never => {
    throw new FormatError("format_invalid", `${called} ${problem}`, data);
  };
  if (directions.length === 0) refuse("has no directions");
  const width = hiddenSize ?? directions[0]!.vector.length;
  const seen = new Set<number>();
  for (const { layer, vector } of directions) {
    if (!Number.isSafeInteger(layer) || layer < 0 || layer >= (layers ?? Infinity)) {
      const allowed = layers === undefined ? "whole numbers from 0" : `0 to ${layers - 1}`;
      refuse(`has a direction at layer ${layer}; allowed: ${allowed}`, { layer });
    }
    if (seen.has(layer)) refuse(`has two directions at layer ${layer}`, { layer });
    seen.add(layer);
    if (vector.length === 0 || vector.length !== width) {
      const whose = hiddenSize === undefined ? `layer ${directions[0]!.layer} has` : "the hidden size is";
      refuse(`has ${vector.length} numbers at layer ${layer}, and ${whose} ${width}`, { layer });
    }
    const odd = vector.findIndex((value) => !Number.isFinite(value));
    if (odd >= 0) {
      throw new FormatError(
        "format_value",
        `${called} has ${vector[odd]} as number ${odd} at layer ${layer}`,
        {
          layer,
          index: odd,
        },
      );
    }
  }
}
