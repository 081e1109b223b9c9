import type { NormalisedPairs } from "./ccs-objective.ts";
import type { RowPairs } from "./row-pairs.ts";

/** The means of both halves, and 1 / the deviation within halves (0 for a feature that is constant within them). */
export interface PairMoments {
  readonly positive: Float64Array;
  readonly negative: Float64Array;
  readonly inverse: Float64Array;
}

/**
 * Each half less its own mean, so that nothing tells the halves apart but what differs from pair to pair; both over one deviation, so that
 * there is one direction in raw space.
 */
export function normalisedPairs(
  values: Float32Array,
  width: number,
  pairs: RowPairs,
): { moments: PairMoments; rows: NormalisedPairs } {
  const positive = centred(values, width, pairs.positive);
  const negative = centred(values, width, pairs.negative);
  const inverse = new Float64Array(width);
  const count = pairs.positive.length;
  for (const { rows } of [positive, negative]) {
    rows.forEach((value, at) => (inverse[at % width]! += value ** 2 / (2 * count)));
  }
  for (let j = 0; j < width; j++) {
    // Rounding of a constant feature's mean leaves a variance of about (2⁻⁵³ · mean)².
    const least = 1e-28 * Math.max(positive.mean[j]! ** 2, negative.mean[j]! ** 2);
    inverse[j] = inverse[j]! > least ? 1 / Math.sqrt(inverse[j]!) : 0;
  }
  for (const { rows } of [positive, negative]) {
    for (let at = 0; at < rows.length; at++) rows[at]! *= inverse[at % width]!;
  }
  return {
    moments: { positive: positive.mean, negative: negative.mean, inverse },
    rows: { width, positive: positive.rows, negative: negative.rows },
  };
}

function centred(
  values: Float32Array,
  width: number,
  picked: Uint32Array,
): { mean: Float64Array; rows: Float64Array } {
  const rows = new Float64Array(picked.length * width);
  const mean = new Float64Array(width);
  picked.forEach((row, i) => {
    for (let j = 0; j < width; j++) {
      rows[i * width + j] = values[row * width + j]!;
      mean[j]! += rows[i * width + j]! / picked.length;
    }
  });
  for (let at = 0; at < rows.length; at++) rows[at]! -= mean[at % width]!;
  return { mean, rows };
}
