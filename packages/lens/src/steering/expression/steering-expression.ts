import { type Direction, needDirection } from "../direction.ts";
import { shown } from "../read-row.ts";
import { SteeringError } from "../steering-error.ts";
import { type SteeringVector, steeringVector } from "../steering-vector.ts";
import { pointAt } from "./expression-reader.ts";
import { parseSteering } from "./parse-steering.ts";
import type { SteeringTerm } from "./steering-terms.ts";

/** Directions by name: one, or one for each of several layers. `loadDirections` gives them. */
export type NamedDirections =
  | ReadonlyMap<string, Direction | readonly Direction[]>
  | Readonly<Record<string, Direction | readonly Direction[]>>;

/**
 * The vectors of an expression such as `0.8 truth@12 - 0.3 length@12:14`: one for each term, with its factor as scale. A layer gets the
 * row that was found at it; `from 16` puts the row of layer 16 at every layer named. Throws SteeringError: `steering_expression`
 * with a column, `direction_unknown`, `steering_layer`, and what `steeringVector` throws.
 */
export function steeringExpression(
  text: string,
  options: { directions: NamedDirections },
): readonly SteeringVector[] {
  const directions = (options as { directions?: NamedDirections } | null | undefined)?.directions;
  if (typeof directions !== "object" || (directions as unknown) === null) {
    throw new SteeringError(
      "steering_option",
      `directions: ${shown(directions)} given; allowed: what loadDirections gives, or an object of directions by name`,
    );
  }
  return Object.freeze(parseSteering(text).map((term) => termVector(text, term, directions)));
}

function termVector(text: string, term: SteeringTerm, directions: NamedDirections): SteeringVector {
  const { name, layers, from, factor, normMatch, positions } = term;
  const found = named(directions, name);
  if (found === undefined) {
    const known = namesOf(directions);
    throw atTerm(
      "direction_unknown",
      text,
      term,
      `no direction is named ${name}; known: ${known.slice(0, 12).join(", ") || "none"}${known.length > 12 ? ", …" : ""}`,
    );
  }
  for (const one of found) needDirection(one, name);
  const rows = new Map(found.map(({ layer, vector }) => [layer, vector]));
  const at = (layer: number): [number, Float32Array] => {
    const row = rows.get(from ?? layer);
    if (row !== undefined) return [layer, row];
    throw atTerm(
      "steering_layer",
      text,
      term,
      `${name} has no row for layer ${from ?? layer}; it has ${[...rows.keys()].sort((a, b) => a - b).join(", ")}. ` +
        `To put one of them elsewhere, say so: ${name}@${layer} from ${[...rows.keys()][0]}`,
    );
  };
  return steeringVector({
    rows: Object.fromEntries(layers.map(at)),
    scale: factor,
    normMatch,
    ...(positions !== undefined && { positions }),
  });
}

function named(directions: NamedDirections, name: string): readonly Direction[] | undefined {
  const found =
    directions instanceof Map
      ? (directions as ReadonlyMap<string, Direction | readonly Direction[]>).get(name)
      : Object.hasOwn(directions, name)
        ? (directions as Readonly<Record<string, Direction | readonly Direction[]>>)[name]
        : undefined;
  return found === undefined
    ? undefined
    : Array.isArray(found)
      ? (found as Direction[])
      : [found as Direction];
}

function namesOf(directions: NamedDirections): string[] {
  return directions instanceof Map ? [...(directions.keys() as Iterable<string>)] : Object.keys(directions);
}

/** An error that points at a term. */
function atTerm(
  code: SteeringError["code"],
  text: string,
  { column }: SteeringTerm,
  message: string,
): SteeringError {
  return new SteeringError(code, pointAt(text, column - 1, message), { column });
}
