import { fillWeights } from "./metric.ts";

/**
 * Sums over rows, kept by unit: each weighting of the units then costs units × `width` additions, not rows. `add` writes the terms
 * of one row (`width` of them).
 */
export function unitSums(options: {
  n: number;
  unit: Uint32Array | undefined;
  units: number;
  width: number;
  add: (row: number, terms: Float64Array) => void;
}): (weights?: ArrayLike<number>) => Float64Array {
  const { n, unit, units, width, add } = options;
  const sums = new Float64Array(units * width);
  const terms = new Float64Array(width);
  for (let row = 0; row < n; row++) {
    terms.fill(0);
    add(row, terms);
    const at = (unit ? unit[row]! : row) * width;
    for (let k = 0; k < width; k++) sums[at + k]! += terms[k]!;
  }
  const own = new Float64Array(units);
  const totals = new Float64Array(width);
  return (weights) => {
    const weightOf = fillWeights(own, weights);
    totals.fill(0);
    for (let u = 0; u < units; u++) {
      const weight = weightOf[u]!;
      if (weight === 0) continue;
      for (let k = 0; k < width; k++) totals[k]! += weight * sums[u * width + k]!;
    }
    return totals;
  };
}
