import { checkFields, InvalidRequestError } from "@residua/client";
import * as z from "zod";
import type { Direction } from "../steering/direction.ts";
import { isZero } from "../steering/norm.ts";
import { readPositions } from "../steering/read-positions.ts";
import { readRow, shown } from "../steering/read-row.ts";
import { SteeringError } from "../steering/steering-error.ts";

/**
 * Sets the stream's coefficient along a direction, v̂ = direction / ‖direction‖, at the output of each of `layers`: `ablate` takes
 * it away, h' = h − (h·v̂) v̂ (directional ablation, Arditi et al. 2024, there at every layer and position); `clamp` makes it
 * `value`, h' = h + (value − h·v̂) v̂. Frozen; the direction is a copy.
 */
export type Intervention = {
  /** Ascending. */
  readonly layers: readonly number[];
  /** `[hiddenSize]`, of any norm but 0. */
  readonly direction: Float32Array;
  /** Absolute positions in prompt + generated tokens, ascending; null for all. */
  readonly positions: readonly number[] | null;
} & ({ readonly kind: "ablate" } | { readonly kind: "clamp"; readonly value: number });

export type InterventionOptions = {
  /** `[hiddenSize]` numbers of any norm but 0, or a direction. */
  direction: ArrayLike<number> | Direction;
  /** Layers from 0, each once. Default: the direction's own. */
  layers?: readonly number[];
  /** Absolute positions, each once; left out: every position, generated ones too. */
  positions?: readonly number[];
} & (
  | { kind: "ablate" }
  | {
      kind: "clamp";
      /** What h·v̂ becomes. */
      value: number;
    }
);

const optionCheck = {
  schema: z.looseObject({ kind: z.literal(["ablate", "clamp"]) }),
  fields: {
    kind: { allowed: '"ablate" or "clamp"' },
    direction: { allowed: "one row of hidden-size numbers, or a direction" },
    layers: { allowed: "a list of layers from 0" },
    positions: { allowed: "a list of integers from 0" },
    value: { allowed: 'a finite number, with kind "clamp"' },
  },
  hints: { layer_indices: "use layers", position_indices: "use positions", scale: "clamp sets a value" },
  what: "intervention",
};

/** Builds an intervention. Throws SteeringError and InvalidRequestError. What depends on the model is checked when it is sent. */
export function intervention(options: InterventionOptions): Intervention {
  checkFields(options, optionCheck);
  const { kind, direction: given, positions } = options;
  const own = isDirection(given) ? given : undefined;
  const direction = readRow(own ? own.vector : given, "direction");
  if (isZero(direction))
    throw new SteeringError("steering_zero_vector", "direction: all numbers are zero, which is no direction");
  const common = {
    layers: Object.freeze(readLayers(options.layers ?? (own && [own.layer]))),
    direction,
    positions:
      positions === undefined
        ? null
        : Object.freeze(readPositions(positions).map(({ position }) => position)),
  };
  return Object.freeze<Intervention>(
    kind === "ablate"
      ? { kind: noValue(kind, options), ...common }
      : { kind, value: readValue(options.value), ...common },
  );
}

function isDirection(value: unknown): value is Direction {
  return typeof value === "object" && value !== null && "vector" in value && "layer" in value;
}

function readLayers(given: unknown): number[] {
  const right =
    Array.isArray(given) &&
    given.length > 0 &&
    given.every((layer) => Number.isSafeInteger(layer) && (layer as number) >= 0) &&
    new Set(given).size === given.length;
  if (right) return [...(given as number[])].sort((a, b) => a - b);
  const what = Array.isArray(given) ? `[${given.slice(0, 8).map(shown).join(", ")}]` : shown(given);
  throw new SteeringError(
    "steering_layer",
    `layers: ${what} given; allowed: integers from 0, each once (left out beside a direction: the direction's own)`,
  );
}

function readValue(value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new SteeringError("steering_scale", `value: ${shown(value)} given; allowed: a finite number`);
}

function noValue(kind: "ablate", options: object): "ablate" {
  if (!("value" in options) || options.value === undefined) return kind;
  const allowed = 'left out beside kind "ablate"; kind "clamp" sets a value';
  throw new InvalidRequestError([{ field: "value", given: shown(options.value), allowed }], "intervention");
}
