import { SteeringError } from "./steering-error.ts";

/**
 * A copy of a row as float32. `what` names it in errors. Throws `steering_rank` for anything that is not a flat list of numbers,
 * `steering_rows` for an empty one, `steering_not_finite`.
 */
export function readRow(given: unknown, what: string): Float32Array {
  if (!isList(given)) {
    throw new SteeringError(
      "steering_rank",
      `${what}: ${shown(given)} given; allowed: one flat row of numbers, as long as the model's hidden size`,
    );
  }
  if (ArrayBuffer.isView(given) && !isFloats(given)) {
    throw new SteeringError(
      "steering_rank",
      `${what}: a ${given.constructor.name} given, and integers may be the bits of a number type; allowed: Float32Array, Float64Array or a list of numbers, such as capture.row({ layer, position }) gives`,
    );
  }
  if (given.length === 0)
    throw new SteeringError(
      "steering_rows",
      `${what}: an empty row; allowed: as many numbers as the hidden size`,
    );
  for (let i = 0; i < given.length; i++) {
    const value = given[i];
    if (typeof value !== "number") {
      throw new SteeringError(
        "steering_rank",
        `${what}: item ${i} is ${shown(value)}; allowed: one flat row of numbers`,
      );
    }
    if (!Number.isFinite(Math.fround(value))) {
      throw new SteeringError(
        "steering_not_finite",
        `${what}: number ${i} is ${value} as float32; allowed: finite numbers (one NaN can spoil other requests on the server)`,
        { index: i },
      );
    }
  }
  return Float32Array.from(given as ArrayLike<number>);
}

/** Lists of numbers or of rows, typed or plain; texts are none. */
export function isList(given: unknown): given is ArrayLike<unknown> {
  return (
    typeof given === "object" && given !== null && typeof (given as { length?: unknown }).length === "number"
  );
}

/** Float16Array is not in every engine. */
function isFloats(given: ArrayBufferView): boolean {
  return /^Float(16|32|64)Array$/.test(given.constructor.name);
}

/** For errors: texts may be secrets, and lists long. */
export function shown(given: unknown): string {
  if (isList(given)) return `a list of ${given.length}`;
  if (given === undefined) return "nothing";
  if (typeof given !== "object" || given === null)
    return typeof given === "number" ? String(given) : given === null ? "null" : `a ${typeof given}`;
  return given instanceof Map ? "a Map" : "an object";
}
