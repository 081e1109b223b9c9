import { addScaled, dot } from "../../linalg/vectors.ts";

/** A direction that lies in those taken out already but for this share of its length is not a new one. */
const leastPart = 1e-6;
/** What is left of a feature below this share of its size is rounding, which standardising would blow up to a feature of its own. */
const leastValue = 1e-10;

/** Orthonormal directions to project out, and rows without them. */
export class Nullspace {
  readonly width: number;
  readonly basis: Float64Array[] = [];
  /** `[rows, width]`: the rows as they are now, in float64, so that rounds do not add their rounding. */
  readonly #rows: Float64Array;
  /** The largest number of each feature as it was given. */
  readonly #sizes: Float64Array;

  constructor(values: Float32Array, width: number) {
    this.width = width;
    this.#rows = Float64Array.from(values);
    this.#sizes = new Float64Array(width);
    values.forEach(
      (value, at) => (this.#sizes[at % width] = Math.max(this.#sizes[at % width]!, Math.abs(value))),
    );
  }

  values(): Float32Array {
    return Float32Array.from(this.#rows, (value, at) =>
      Math.abs(value) > leastValue * this.#sizes[at % this.width]! ? value : 0,
    );
  }

  /** Takes directions out of the rows; says how many were new (Gram–Schmidt, twice for what rounding leaves). */
  take(directions: readonly Float64Array[]): number {
    const before = this.basis.length;
    for (const direction of directions) {
      const rest = direction.slice();
      const size = Math.sqrt(dot(rest, rest));
      for (let round = 0; round < 2; round++) {
        for (const known of this.basis) addScaled(rest, -dot(rest, known), known);
      }
      const left = Math.sqrt(dot(rest, rest));
      if (!(left > leastPart * size)) continue;
      const unit = rest.map((value) => value / left);
      this.basis.push(unit);
      for (let at = 0; at < this.#rows.length; at += this.width) {
        const row = this.#rows.subarray(at, at + this.width);
        addScaled(row, -dot(row, unit), unit);
      }
    }
    return this.basis.length - before;
  }
}
