import { ProbeError } from "../probes/probe-error.ts";
import { z } from "zod";

/** An array or typed array, by its look: what it holds is checked where it is read. */
export function arraySchema<T>(of: string) {
  return z.custom<ArrayLike<T>>(isArrayLike, `an array of ${of}`);
}

function isArrayLike(given: unknown): boolean {
  if (typeof given !== "object" || given === null) return false;
  const { length } = given as { length?: unknown };
  return typeof length === "number" && Number.isInteger(length) && length >= 0;
}

/** Throws `bad_option` unless there are `rows` of them. */
export function refuseOtherLength(given: ArrayLike<unknown>, rows: number, what: string, of: string): void {
  if (given.length === rows) return;
  throw new ProbeError(
    "bad_option",
    `${of} was given ${rows} scores and ${given.length} ${what}: give one each a row.`,
    { rows, [what]: given.length },
  );
}

/** The same numbers as float64; throws `not_finite` with the row of the first that is not finite. */
export function finiteNumbers(given: ArrayLike<number>, what: string, of: string): Float64Array {
  const numbers = new Float64Array(given.length);
  for (let row = 0; row < given.length; row++) {
    const value: unknown = given[row];
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw new ProbeError(
        "not_finite",
        `The ${what} of row ${row} is ${String(value)}: ${of} needs finite ${what}s.`,
        { row },
      );
    }
    numbers[row] = value;
  }
  return numbers;
}

/** 1 for a positive row, 0 for a negative one; throws `bad_label` with the row of the first that is neither. */
export function binaryLabels(given: ArrayLike<number | boolean>, of: string): Uint8Array {
  const labels = new Uint8Array(given.length);
  for (let row = 0; row < given.length; row++) {
    const label: unknown = given[row];
    if (label === true || label === 1) labels[row] = 1;
    else if (label !== false && label !== 0) {
      throw new ProbeError(
        "bad_label",
        `The label of row ${row} is ${String(label)}: ${of} takes 0 and 1, or false and true.`,
        { row },
      );
    }
  }
  return labels;
}

/** Whole numbers from 0 (strata, units, classes), with how many of them the largest makes. */
export function indexNumbers(
  given: ArrayLike<number>,
  what: string,
  of: string,
): { index: Uint32Array; count: number } {
  const index = new Uint32Array(given.length);
  let count = 0;
  for (let row = 0; row < given.length; row++) {
    const value: unknown = given[row];
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= 2 ** 32 - 1) {
      throw new ProbeError(
        "bad_option",
        `The ${what} of row ${row} is ${String(value)}: ${of} takes whole numbers from 0.`,
        { row },
      );
    }
    index[row] = value;
    count = Math.max(count, value + 1);
  }
  return { index, count };
}
