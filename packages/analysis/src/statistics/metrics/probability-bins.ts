import { z } from "zod";
import { sortedOrder } from "./ranked-scores.ts";

export interface BinOptions {
  /** How many (default 10). */
  bins?: number | undefined;
  /** `"width"` (the default): bins of equal width over 0 … 1. `"mass"`: of (nearly) equally many rows; equal scores stay together. */
  binning?: "width" | "mass" | undefined;
}

export const binsSchema = z.strictObject({
  bins: z.int().min(1).max(1000).default(10),
  binning: z.enum(["width", "mass"]).default("width"),
});

/** The bin of each probability, 0 … bins − 1. A probability on an edge lies in the bin below, as in scikit-learn. */
export function probabilityBins(
  probabilities: Float64Array,
  { bins, binning }: z.infer<typeof binsSchema>,
): Uint32Array {
  if (binning === "width") {
    const step = 1 / bins;
    return Uint32Array.from(probabilities, (p) => {
      let bin = Math.min(bins - 1, Math.max(0, Math.ceil(p * bins) - 1));
      // The edges are NumPy's linspace: p · bins is rounded, and may lie on the other side of one.
      while (bin > 0 && p <= bin * step) bin--;
      while (bin < bins - 1 && p > (bin + 1) * step) bin++;
      return bin;
    });
  }
  const order = sortedOrder(probabilities);
  const binOf = new Uint32Array(order.length);
  let first = 0;
  order.forEach((row, at) => {
    if (at > 0 && probabilities[row] !== probabilities[order[at - 1]!]) first = at;
    binOf[row] = Math.floor((first * bins) / order.length);
  });
  return binOf;
}
