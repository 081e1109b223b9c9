import { norm } from "./norm.ts";
import { readRow } from "./read-row.ts";
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
  const { layer, name, method } = given;
  if (!Number.isInteger(layer) || layer < 0) {
    throw new SteeringError("steering_layer", `layer ${layer} given; allowed: one integer from 0`);
  }
  if (name !== undefined) checkName(name);
  const vector = readRow(given.vector, name ?? `direction at layer ${layer}`);
  return Object.freeze({ layer, vector, ...(name !== undefined && { name }), method });
}

/** Throws `direction_name`. */
export function checkName(name: string): string {
  if (directionName.test(name) && name.length <= 128 && !reserved.has(name)) return name;
  throw new SteeringError(
    "direction_name",
    `name ${JSON.stringify(name.slice(0, 140))} given; allowed: up to 128 letters, digits, "_", "." and "-", not beginning with a digit, "." or "-", and none of ${[...reserved].join(", ")}`,
  );
}

/** Words of steering expressions. */
const reserved = new Set(["from", "at", "norm"]);

/** k · v. A factor of 0 or one that is not finite is refused: it leaves no direction. */
export function scaleDirection(given: Direction, factor: number): Direction {
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
  const length = norm(given.vector);
  if (length === 0) throw zero(`${nameOf(given)} is zero and has no direction`);
  return derived(
    given,
    given.vector.map((value) => value / length),
    `(${given.method}) / norm`,
  );
}

/** The same layer and method line, other values. Throws `steering_not_finite` where float32 cannot hold them. */
export function derived({ layer, name }: Direction, vector: ArrayLike<number>, method: string): Direction {
  return direction({ layer, vector, name, method });
}

export function zero(message: string): SteeringError {
  return new SteeringError("steering_zero_vector", message);
}

/** For messages. */
export function nameOf({ name, layer }: Direction): string {
  return `${name ?? "the direction"} at layer ${layer}`;
}
