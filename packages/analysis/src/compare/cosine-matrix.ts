import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { directionNorm } from "../probes/direction.ts";
import { shown } from "../options/shown.ts";
import { ProbeError } from "../probes/probe-error.ts";
import type { CosineMatrix } from "../results/cosine-matrix.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import { betaQuantile } from "../statistics/distributions/beta.ts";

/** A direction, or any vector of numbers. */
export interface NamedDirection {
  readonly layer?: number;
  readonly vector: ArrayLike<number>;
}

const directionsSchema = z
  .record(
    z.string().min(1),
    z.looseObject({
      layer: z.int().min(-1).optional(),
      vector: z.custom<ArrayLike<number>>(
        (given) => Array.isArray(given) || ArrayBuffer.isView(given),
        "a list of numbers",
      ),
    }),
  )
  .refine((given) => Object.keys(given).length >= 2, "at least two directions by name");

/** Cosines of every two directions, given by name. Throws ProbeError `wrong_width`, `not_finite`, InvalidRequestError. */
export function cosineMatrix(directions: Readonly<Record<string, NamedDirection>>): CosineMatrix {
  checkOptions(directionsSchema, directions, "directions", "directions");
  const named = Object.entries(directions).map(([name, { layer, vector }]) => ({
    name,
    layer: layer ?? null,
    vector: finiteVector(name, vector),
  }));
  const width = named[0]!.vector.length;
  for (const { name, vector } of named) refuseOther(name, vector, width);
  const pairs = named.flatMap((first, i) =>
    named.slice(i + 1).map((second) => ({
      first: first.name,
      second: second.name,
      ...cosineOf(first.vector, second.vector),
    })),
  );
  const layers = new Set(named.map(({ layer }) => layer));
  return {
    schemaVersion: resultSchemaVersion,
    kind: "cosine-matrix",
    width,
    directions: named.map(({ name, layer, vector }) => ({ name, layer, norm: directionNorm(vector) })),
    pairs,
    chance: chanceCosine(width),
    notes:
      layers.size > 1
        ? [
            "Directions are of several layers: their residual streams share a basis, but not what is written in it.",
          ]
        : [],
  };
}

/** 95 % of the cosines of two random directions lie nearer 0: their squares are of the beta distribution of 1/2 and (width − 1)/2. */
export function chanceCosine(width: number): number {
  return width < 2 ? 1 : Math.sqrt(betaQuantile(0.95, 1 / 2, (width - 1) / 2));
}

/** Summed in float64. */
export function cosineOf(
  first: ArrayLike<number>,
  second: ArrayLike<number>,
): { cosine: number } | { cosine: null; reason: string } {
  const norms = directionNorm(first) * directionNorm(second);
  if (norms === 0) return { cosine: null, reason: "a vector of zeros has no direction" };
  let sum = 0;
  for (let j = 0; j < first.length; j++) sum += first[j]! * second[j]!;
  return { cosine: Math.max(-1, Math.min(1, sum / norms)) };
}

function refuseOther(name: string, vector: Float64Array, width: number): void {
  if (vector.length !== width || width === 0) {
    const message = `The direction ${name} has ${vector.length} numbers, and the first ${width}: give directions of one width.`;
    throw new ProbeError("wrong_width", message, { name, width });
  }
}

function finiteVector(name: string, vector: ArrayLike<number>): Float64Array {
  const given: unknown[] = Array.from(vector);
  const at = given.findIndex((value) => !Number.isFinite(value));
  const numbers = Float64Array.from(vector);
  if (at < 0 && directionNorm(numbers) < Infinity) return numbers;
  throw new ProbeError(
    "not_finite",
    at < 0
      ? `The direction ${name} is longer than a float64 can tell: give smaller numbers.`
      : `The direction ${name} is ${shown(given[at])} at ${at}: give finite numbers.`,
    { name, ...(at < 0 ? {} : { at }) },
  );
}
