import type { Projection } from "../results/projection.ts";

/** Rows on a plane, `[rows]` each. */
export interface Plane {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly axes: Projection["axes"];
  readonly notes: readonly string[];
}
