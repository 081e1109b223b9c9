import { squaredGramNorm } from "../../linalg/row-gram.ts";

/**
 * How far the covariance of centred `values` (`[rows, width]`) is to be shrunk to a multiple of the identity: Ledoit and Wolf, "A
 * well-conditioned estimator for large-dimensional covariance matrices" (2004), as scikit-learn's `ledoit_wolf_shrinkage`. From row
 * norms and the norm of the smaller Gram matrix; the covariance itself is not made.
 */
export async function ledoitWolfShrinkage(values: Float32Array, width: number): Promise<number> {
  const rows = values.length / width;
  let fourth = 0;
  let trace = 0;
  for (let row = 0, at = 0; row < rows; row++) {
    let squares = 0;
    for (let j = 0; j < width; j++) squares += values[at++]! ** 2;
    fourth += squares ** 2;
    trace += squares / rows;
  }
  const mu = trace / width;
  const norm = (await squaredGramNorm(values, width)) / rows ** 2;
  const delta = (norm - 2 * mu * trace + width * mu ** 2) / width;
  const beta = Math.min((fourth / rows - norm) / (width * rows), delta);
  return beta <= 0 || delta <= 0 ? 0 : beta / delta;
}
