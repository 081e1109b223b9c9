import { shown } from "./read-row.ts";
import { SteeringError } from "./steering-error.ts";

/** A position of a list. */
export interface Place {
  position: number;
  /** Where it stood in the list that was given. */
  given: number;
}

/** Positions, ascending. Throws `steering_positions`. */
export function readPositions(given: readonly number[]): Place[] {
  const isArray: boolean = Array.isArray(given);
  if (!isArray) {
    throw new SteeringError(
      "steering_positions",
      `positions: ${shown(given)} given; allowed: a list of integers from 0 (leave it out for every position)`,
    );
  }
  const bad = given.find((position) => !Number.isInteger(position) || position < 0);
  if (given.length === 0 || bad !== undefined || new Set(given).size !== given.length) {
    const what = bad === undefined ? (given.length === 0 ? "an empty list" : "a position twice") : shown(bad);
    throw new SteeringError(
      "steering_positions",
      `positions: ${what} given; allowed: integers from 0, each once (leave it out for every position)`,
    );
  }
  return given.map((position, i) => ({ position, given: i })).sort((a, b) => a.position - b.position);
}
