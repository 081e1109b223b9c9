import { dot, norm } from "../steering/norm.ts";

/** Numbers over rows of the residual stream. Two rows have equal lengths. */

/** a − b. */
export const difference = (a: Float32Array, b: Float32Array): Float32Array =>
  a.map((value, i) => value - (b[i] ?? 0));

/** ‖a − b‖ / ‖b‖. A cosine would not tell neighbouring layers apart. */
export function relativeError(a: Float32Array, b: Float32Array): number {
  return norm(difference(a, b)) / Math.max(norm(b), Number.MIN_VALUE);
}

/** How much of a direction is in a row: ⟨row, direction⟩ / ‖direction‖². */
export const factorOf = (row: Float32Array, direction: Float32Array): number =>
  dot(row, direction) / dot(direction, direction);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export const largest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);

/** Four digits, for messages and reports. */
export const short = (value: number): number => Number(value.toPrecision(4));

/**
 * ‖change − vector‖ / ‖vector‖ over the coordinates where the vector is not zero: elsewhere a row may be so large that
 * bfloat16 rounds by more than the vector.
 */
export function shownError(change: Float32Array, vector: Float32Array): number {
  return relativeError(
    change.map((value, i) => (vector[i] === 0 ? 0 : value)),
    vector,
  );
}
