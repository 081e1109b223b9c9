import type { Direction } from "../../steering/direction.ts";
import { checkDirections, type ModelSize } from "../check-directions.ts";
import { convertLayer, layerConventions, type LayerConvention } from "../conventions/layer-convention.ts";
import { FormatError } from "../format-error.ts";

/** Directions as they stand in a file: layers counted as the convention counts them, ascending, `[layers, width]`. */
export interface DirectionTable {
  readonly convention: LayerConvention;
  readonly layers: readonly number[];
  readonly methods: readonly string[];
  readonly rows: readonly Float32Array[];
}

/** Errors `layer_convention` where a layer has no equivalent, and those of `checkDirections`. */
export function tableOf(
  directions: readonly Direction[],
  convention: LayerConvention,
  model: ModelSize,
): DirectionTable {
  checkDirections(directions, model, "the export");
  const inOrder = [...directions].sort((a, b) => a.layer - b.layer);
  return {
    convention,
    layers: inOrder.map(({ layer }) =>
      convertLayer({ from: "residua", to: convention, layer, ...blocks(model) }),
    ),
    methods: inOrder.map(({ method }) => method),
    rows: inOrder.map(({ vector }) => vector),
  };
}

/** The same back: `called` names the file in messages. */
export function directionsOf(table: DirectionTable, model: ModelSize, called: string): readonly Direction[] {
  const { convention, layers, methods, rows } = table;
  const directions = layers.map((layer, i) => ({
    layer: convertLayer({ from: convention, to: "residua", layer, ...blocks(model) }),
    vector: rows[i]!,
    method: methods[i] ?? `imported from ${called}`,
  }));
  checkDirections(directions, model, called);
  return directions;
}

/** The convention that a file states and the one that was asked for; error `layer_convention` for none or two. */
export function agreedConvention(
  stated: string | undefined,
  asked: LayerConvention | undefined,
  called: string,
): LayerConvention {
  const name = stated ?? asked;
  const known = Object.keys(layerConventions).join(", ");
  if (name === undefined) {
    throw new FormatError(
      "layer_convention",
      `${called} does not say how it counts layers; say it: ${known}`,
    );
  }
  if (!Object.hasOwn(layerConventions, name)) {
    throw new FormatError(
      "layer_convention",
      `${called}: convention ${JSON.stringify(name)}; known are ${known}`,
    );
  }
  if (asked !== undefined && asked !== name) {
    throw new FormatError("layer_convention", `${called} counts layers as ${name}, not as ${asked}`);
  }
  return name as LayerConvention;
}

function blocks({ layers }: ModelSize): { layers?: number } {
  return layers === undefined ? {} : { layers };
}
