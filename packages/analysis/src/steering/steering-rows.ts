import { steeringVector, type SteeringVector } from "@residua/lens";
import { directionNorm } from "../probes/direction.ts";
import { ProbeError } from "../probes/probe-error.ts";

/** What is added, layer by layer: `[hiddenSize]` each. */
export type SteeringRows = ReadonlyMap<number, Float32Array>;

/** What of a direction steering needs. */
export interface SteeringDirection {
  /** Layer L is the output of decoder block L, 0-based, before the final norm. */
  readonly layer: number;
  /** `[hiddenSize]` */
  readonly vector: Float32Array;
  /** Name and formula. */
  readonly method: string;
}

/**
 * One steering vector: a direction at its own layer or at each of `layers`, or several directions, each at its own. Error
 * `bad_option` for directions of one layer, of two widths, and `layers` beside several.
 */
export function steeringRows(
  direction: SteeringDirection | readonly SteeringDirection[],
  layers?: readonly number[],
): SteeringRows {
  const all = directionsOf(direction);
  if (layers !== undefined && all.length > 1) {
    throw new ProbeError(
      "bad_option",
      `layers is given beside ${all.length} directions: each is added at its own layer, so leave layers out.`,
    );
  }
  const rows = new Map<number, Float32Array>();
  for (const { layer, vector } of all) {
    for (const at of layers ?? [layer]) {
      if (rows.has(at))
        throw new ProbeError(
          "bad_option",
          `Layer ${at} is given twice: add the directions first, or choose one.`,
          { layer: at },
        );
      if (vector.length !== all[0]!.vector.length)
        throw new ProbeError(
          "bad_option",
          `The direction of layer ${at} has ${vector.length} numbers and that of layer ${all[0]!.layer} has ${all[0]!.vector.length}.`,
        );
      rows.set(at, vector);
    }
  }
  return new Map([...rows].sort(([a], [b]) => a - b));
}

/** A direction at its own layer. */
export function rowsAt({ layer, vector }: Pick<SteeringDirection, "layer" | "vector">): SteeringRows {
  return new Map([[layer, vector]]);
}

export function directionsOf(
  direction: SteeringDirection | readonly SteeringDirection[],
): readonly SteeringDirection[] {
  return "layer" in direction ? [direction] : direction;
}

/** What the lens is sent; scale 0 too, so that a baseline takes the same path through the engine. */
export function rowsVector(rows: SteeringRows, scale: number): SteeringVector {
  return steeringVector({ rows: Object.fromEntries(rows), scale });
}

/** Other vectors of the same layers, each scaled to the norm that is there. */
export function withNormsOf(
  rows: SteeringRows,
  vectorAt: (layer: number) => ArrayLike<number>,
): SteeringRows {
  return new Map(
    [...rows].map(([layer, own]) => {
      const vector = vectorAt(layer);
      const scale = directionNorm(own) / directionNorm(vector);
      return [layer, Float32Array.from(vector, (value) => value * scale)];
    }),
  );
}
