import { cholesky } from "../../linalg/cholesky.ts";
import { rowGram } from "../../linalg/row-gram.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { conjugateGradients } from "./conjugate-gradients.ts";
import { sumOfLines, timesLines } from "./line-products.ts";
import { centredValues } from "./row-spread.ts";
import type { ShrunkCovariance } from "./shrunk-covariance.ts";
import { product } from "../../linalg/vectors.ts";

export interface SpreadSolution {
  readonly weights: Float64Array;
  readonly converged: boolean;
  readonly iterations: number;
  /** Norm of right − Σ · w, in the scaled features. */
  readonly gradientNorm: number;
}

/** A diagonal below this share of a feature's variance would drown in the rounding of float32 products. */
const leastShare = 1e-5;

/**
 * w of Σ · w = right, for each of `rights`: one Gram matrix of the smaller of rows and features and one factor, in features scaled to
 * unit variance. What their float32 products leave is taken out by conjugate gradients, whose products with the rows are float64.
 */
export async function solveSpread(
  { values, width }: ProbeMatrix,
  covariance: ShrunkCovariance,
  rights: readonly Float64Array[],
): Promise<SpreadSolution[]> {
  const { diagonal, spread } = covariance;
  const scale = covariance.variance.map((each) => (each > 0 ? 1 / Math.sqrt(each) : 0));
  const scaled = diagonal.map((each, j) => each * scale[j]! ** 2);
  const inverse = await inverseOf(values, covariance, { scale, diagonal: scaled });
  const apply = (vector: Float64Array): Float64Array => {
    const scores = timesLines(values, width, product(vector, scale));
    const sums = sumOfLines(values, width, centredValues(spread, scores));
    return sums.map((sum, j) => sum * scale[j]! + scaled[j]! * vector[j]!);
  };
  return rights.map((right) => {
    const { solution, residualNorm, ...end } = conjugateGradients(product(right, scale), apply, inverse);
    return { weights: product(solution, scale), gradientNorm: residualNorm, ...end };
  });
}

/** (Δ + YᵀY)⁻¹, about, with Y the weighed rows less their class's mean in scaled features: by Woodbury's identity where the rows are fewer. */
async function inverseOf(
  values: Float32Array,
  { spread, means }: ShrunkCovariance,
  { scale, diagonal }: { scale: Float64Array; diagonal: Float64Array },
): Promise<(right: Float64Array) => Float64Array> {
  const width = scale.length;
  const { weights, classOf } = spread;
  const rows = [...weights.keys()].filter((row) => weights[row]! > 0);
  const count = rows.length;
  const floored = diagonal.map((each) => Math.max(each, leastShare));
  // Shrunk all the way, no row counts.
  if (count === 0) return (right) => right.map((each, j) => each / floored[j]!);
  if (count > width) {
    const turned = new Float32Array(width * count);
    const lines = means.map((mean) => ({ mean, scale }));
    rows.forEach((row, i) => writeLine(row, { at: i, step: count, out: turned, ...lines[classOf[row]!]! }));
    const gram = await rowGram(turned, count);
    for (let j = 0; j < width; j++) gram[j * (width + 1)]! += floored[j]!;
    const factor = cholesky(gram, width);
    return (right) => factor.solve(right);
  }
  const roots = floored.map(Math.sqrt);
  const divided = scale.map((each, j) => each / roots[j]!);
  const lines = new Float32Array(count * width);
  rows.forEach((row, i) =>
    writeLine(row, { at: i * width, step: 1, out: lines, mean: means[classOf[row]!]!, scale: divided }),
  );
  const gram = await rowGram(lines, width);
  for (let i = 0; i < count; i++) gram[i * (count + 1)]! += 1;
  const factor = cholesky(gram, count);
  return (right) => {
    const own = right.map((each, j) => each / roots[j]!);
    const sums = sumOfLines(lines, width, factor.solve(timesLines(lines, width, own)));
    return own.map((each, j) => (each - sums[j]!) / roots[j]!);
  };

  /** √weight · (row − mean) · scale, each number `step` from the one before. */
  function writeLine(
    row: number,
    to: { at: number; step: number; out: Float32Array; mean: Float64Array; scale: Float64Array },
  ): void {
    const { step, out, mean, scale: own } = to;
    const root = Math.sqrt(weights[row]!);
    for (let j = 0, at = to.at, from = row * width; j < width; j++, at += step)
      out[at] = (values[from++]! - mean[j]!) * (root * own[j]!);
  }
}
