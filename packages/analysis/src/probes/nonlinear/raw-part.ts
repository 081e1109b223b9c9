import type { StandardSpace } from "../convex/standard-space.ts";
import { dot } from "../../linalg/vectors.ts";

/** Weights and bias of raw rows, as plain numbers, of a part that reads standardised rows of a centred matrix. */
export function rawPart(
  space: StandardSpace,
  part: Float64Array,
  center: Float64Array,
): { weights: number[]; bias: number } {
  const folded = space.fold(part);
  // JSON has no −0.
  return {
    weights: Array.from(folded, (value) => value + 0),
    bias: space.foldedBias(part, folded) - dot(folded, center) + 0,
  };
}
