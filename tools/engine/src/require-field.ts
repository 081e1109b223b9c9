import { EngineRequestError } from "./engine-error.ts";

/** Throws EngineRequestError `invalid_request`, with the field in `data.field`. */
export function requireField(holds: boolean, field: string, problem: string): asserts holds {
  if (!holds) throw new EngineRequestError("invalid_request", `${field} ${problem}`, { field });
}

/** The highest whole number that a field can hold exactly. */
const highestWhole = Number.MAX_SAFE_INTEGER;

export function isWhole(value: number, from: number, to = highestWhole): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}
