import { rowGram } from "../../linalg/row-gram.ts";
import { rowGram as exactRowGram } from "../convex/row-gram.ts";
import { centredKernel } from "./centred-kernel.ts";
import type { RowProducts } from "./row-products.ts";
import { centredValues, spreadMoments, type RowSpread } from "./row-spread.ts";
import type { Kernel } from "./shifted-systems.ts";
import { dot, product } from "../../linalg/vectors.ts";

/** The ridge problems of one set of training rows, min Σ v (y − x·w)² + λ Σ w²/s² with centred rows, as (kernel + λ) · x = right. */
export interface RidgeSpace {
  kernel(): Promise<Kernel>;
  /** Of numbers of all rows. */
  rights(products: RowProducts, targets: readonly ArrayLike<number>[]): Promise<Float64Array[]>;
  weights(products: RowProducts, vectors: readonly Float64Array[]): Promise<Float64Array[]>;
}

/** How the space of each set of training rows is made; what they share is computed once. */
export function ridgeSpaces(products: RowProducts, standardise: boolean): (spread: RowSpread) => RidgeSpace {
  const { rows, width, values } = products.matrix;
  if (rows > width)
    return (spread) => featureSpace(products, spread, featureShares(products, spread, standardise));
  let shared: Promise<ArrayLike<number>> | undefined;
  return (spread) => {
    const shares = featureShares(products, spread, standardise);
    const gram = () => lineGram(products, scaledLines(products, shares.map(Math.sqrt)), width);
    const own = standardise ? gram : () => (shared ??= lineGram(products, values, width));
    return rowSpace(spread, { shares, gram: own });
  };
}

/** √v·Xc·S²·Xcᵀ·√v, of which the right side is √v·yc and w = S²·Xcᵀ·√v·x. */
function rowSpace(
  spread: RowSpread,
  { shares, gram }: { shares: Float64Array; gram: () => Promise<ArrayLike<number>> },
): RidgeSpace {
  const { weights: own, total } = spread;
  return {
    kernel: async () => centredKernel(await gram(), spread),
    rights: (_, targets) =>
      Promise.resolve(
        targets.map((values) => {
          const mean = dot(own, values) / total;
          const inside = own.map((weight, row) => Math.sqrt(weight) * (values[row]! - mean));
          return inside.filter((_, row) => own[row]! > 0);
        }),
      ),
    async weights(products, vectors) {
      const sums = await products.gather(vectors.map((vector) => spreadOut(spread, vector)));
      return sums.map((sum) => product(sum, shares));
    },
  };
}

/** √v · x in the rows of the spread, less v times its share. */
function spreadOut({ weights, total }: RowSpread, vector: Float64Array): Float64Array {
  let at = 0;
  const out = weights.map((weight) => (weight > 0 ? Math.sqrt(weight) * vector[at++]! : 0));
  const share = out.reduce((sum, value) => sum + value, 0) / total;
  return out.map((value, row) => value - share * weights[row]!);
}

/** S·Xcᵀ·v·Xc·S, of which the right side is S·Xcᵀ·v·yc and w = S·x. */
function featureSpace(products: RowProducts, spread: RowSpread, shares: Float64Array): RidgeSpace {
  const { matrix } = products;
  const { values, width } = matrix;
  const roots = shares.map(Math.sqrt);
  return {
    async kernel() {
      const { mean } = spreadMoments(spread, values, width)[0]!;
      const rows = [...spread.weights.keys()].filter((row) => spread.weights[row]! > 0);
      const turned = newLines(products, width * rows.length);
      rows.forEach((row, i) => {
        const root = Math.sqrt(spread.weights[row]!);
        for (let j = 0, at = i, from = row * width; j < width; j++, at += rows.length)
          turned[at] = root * (values[from++]! - mean[j]!) * roots[j]!;
      });
      const gram = Float64Array.from(await lineGram(products, turned, rows.length));
      for (let i = 0; i < width; i++) for (let k = 0; k < i; k++) gram[k * width + i] = gram[i * width + k]!;
      return { size: width, values: gram };
    },
    async rights(own, targets) {
      const sums = await own.gather(targets.map((each) => centredValues(spread, each)));
      return sums.map((sum) => product(sum, roots));
    },
    weights: (_, vectors) => Promise.resolve(vectors.map((vector) => product(vector, roots))),
  };
}

/** What divides each squared weight in the penalty: 1, or of standardised features 1 / variance (1 of a constant one, which gets no weight). */
function featureShares({ matrix }: RowProducts, spread: RowSpread, standardise: boolean): Float64Array {
  if (!standardise) return new Float64Array(matrix.width).fill(1);
  const { variance } = spreadMoments(spread, matrix.values, matrix.width)[0]!;
  return variance.map((each) => (each > 0 ? 1 / each : 1));
}

function scaledLines(products: RowProducts, scale: Float64Array): Float32Array | Float64Array {
  const { values, width } = products.matrix;
  const lines = newLines(products, values.length);
  for (let at = 0; at < lines.length;) {
    for (let j = 0; j < width; j++, at++) lines[at] = values[at]! * scale[j]!;
  }
  return lines;
}

function newLines({ exact }: RowProducts, length: number): Float32Array | Float64Array {
  return exact ? new Float64Array(length) : new Float32Array(length);
}

/** Products of each two of `lines`, of which the lower half counts: float64 all through where other products are. */
async function lineGram(
  { exact }: RowProducts,
  lines: Float32Array | Float64Array,
  width: number,
): Promise<ArrayLike<number>> {
  if (exact) return exactRowGram(Float64Array.from(lines), lines.length / width, width);
  return await rowGram(Float32Array.from(lines), width);
}
