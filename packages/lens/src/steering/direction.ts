import { norm } from "./norm.ts";
import { isList, readRow, shown } from "./read-row.ts";
import { SteeringError } from "./steering-error.ts";

/**
 * A vector in the residual stream of one layer, and how it was found. Layer L is the output of decoder block L, 0-based, before the
 * final norm; vectors that count layers otherwise are converted where they are read. Directions of `@residua/analysis` are of this
 * shape too.
 */
export interface Direction {
  readonly layer: number;
  /** `[hiddenSize]`; of any norm. */
  readonly vector: Float32Array;
  readonly name?: string;
  /** How it was found: name and formula. */
  readonly method: string;
}

/** What a name of a direction may be: it stands in file names and in steering expressions. */
const directionName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** Checks and copies. Throws SteeringError: `steering_layer`, `steering_rank`, `steering_rows`, `steering_not_finite`, `direction_name`. */
export function direction(given: {
  layer: number;
  vector: ArrayLike<number>;
  name?: string | undefined;
  method: string;
}): Direction {
  if (typeof given !== "object" || (given as unknown) === null) throw notDirection("direction()", given);
  const { layer, name, method } = given;
  if (!Number.isInteger(layer) || layer < 0 || layer > 999_999_999) {
    const what = typeof layer === "number" ? layer : shown(layer);
    throw new SteeringError("steering_layer", `layer: ${what} given; allowed: one integer from 0`);
  }
  if (typeof method !== "string") {
    throw new SteeringError(
      "steering_option",
      `method: ${shown(method)} given; allowed: a text that says how the direction was found, such as "mean difference"`,
    );
  }
  if (name !== undefined) checkName(name);
  const vector = readRow(given.vector, name ?? `direction at layer ${layer}`);
  return Object.freeze({ layer, vector, ...(name !== undefined && { name }), method });
}

/** Throws `direction_name`. */
export function checkName(name: string): string {
  if (typeof name !== "string") {
    throw new SteeringError("direction_name", `name: ${shown(name)} given; allowed: a text`);
  }
  if (directionName.test(name) && name.length <= 128 && !reserved.has(name)) return name;
  throw new SteeringError(
    "direction_name",
    `name ${JSON.stringify(name.slice(0, 140))} given; allowed: up to 128 letters, digits, "_", "." and "-", not beginning with a digit, "." or "-", and none of ${[...reserved].join(", ")}`,
  );
}

/** Refuses what is no direction. Throws `steering_option`. */
export function needDirection(given: unknown, what: string): asserts given is Direction {
  const one = given as Partial<Direction> | null | undefined;
  const right =
    typeof one === "object" &&
    one !== null &&
    Number.isInteger(one.layer) &&
    isList(one.vector) &&
    typeof one.method === "string";
  if (!right) throw notDirection(what, given);
}

/** Words of steering expressions. */
const reserved = new Set(["from", "at", "norm"]);

/** k · v. A factor of 0 or one that is not finite is refused: it leaves no direction. */
export function scaleDirection(given: Direction, factor: number): Direction {
  needDirection(given, "scaled");
  if (!Number.isFinite(factor) || factor === 0) {
    throw new SteeringError(
      "steering_scale",
      `factor ${factor} given; allowed: a finite number other than 0`,
    );
  }
  return derived(
    given,
    given.vector.map((value) => factor * value),
    `${factor} · (${given.method})`,
  );
}

/** −v. */
export function negateDirection(given: Direction): Direction {
  return scaleDirection(given, -1);
}

/** v / ‖v‖. Throws `steering_zero_vector`. */
export function normalizeDirection(given: Direction): Direction {
  needDirection(given, "normalised");
  const length = norm(given.vector);
  if (length === 0) throw zero(`${nameOf(given)} is zero and has no direction`);
  return derived(
    given,
    given.vector.map((value) => value / length),
    `(${given.method}) / norm`,
  );
}

/** The same layer and name, other values. Throws `steering_not_finite` where float32 cannot hold them. */
export function derived(
  { layer, name }: Pick<Direction, "layer"> & { name?: string | undefined },
  vector: ArrayLike<number>,
  method: string,
): Direction {
  return direction({ layer, vector, name, method });
}

export function zero(message: string): SteeringError {
  return new SteeringError("steering_zero_vector", message);
}

function notDirection(what: string, given: unknown): SteeringError {
  return new SteeringError(
    "steering_option",
    `${what}: ${shown(given)} given; allowed: a direction, { layer, vector, method, name? }`,
  );
}

/** For messages. */
export function nameOf({ name, layer }: Direction): string {
  return `${name ?? "the direction"} at layer ${layer}`;
}
