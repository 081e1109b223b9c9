import { cholesky } from "../../linalg/cholesky.ts";
import { symmetricEigen } from "../../linalg/symmetric-eigen.ts";
import { createRandom } from "../../statistics/random.ts";
import type { Precondition } from "./conjugate-gradients.ts";
import type { RowProducts } from "./row-products.ts";
import { centredValues, rowSpread, spreadMoments } from "./row-spread.ts";
import { addTo, dot, product } from "./vectors.ts";

const sketchColumns = 128;

/**
 * An approximate inverse of diagonal + covariance, in features scaled to unit variance over all rows: it shapes the way to a solution,
 * not the solution. The largest directions of the covariance (as in Frangella, Tropp and Udell, "Randomized Nyström preconditioning",
 * 2023), found once for all training sets of the matrix.
 */
export interface SpreadPreconditioner {
  /** 1 / standard deviation of each feature over all rows, 0 of a constant one. */
  readonly scale: Float64Array;
  /** For a system of `diagonal` (unscaled) and rows that weigh `total`: what turns a residual into a step. */
  of(diagonal: Float64Array, total: number): Precondition;
}

export async function spreadPreconditioner(products: RowProducts): Promise<SpreadPreconditioner> {
  const { rows, width, values } = products.matrix;
  const all = rowSpread(new Float64Array(rows).fill(1));
  const { variance } = spreadMoments(all, values, width)[0]!;
  const scale = variance.map((each) => (each > 0 ? 1 / Math.sqrt(each) : 0));
  const count = Math.min(sketchColumns, Math.floor(Math.min(rows, width) / 4));
  const { vectors, levels } = count < 8 ? { vectors: [], levels: [] } : await sketch(products, scale, count);
  // What lies outside the sketch counts as flat, at the level of its last direction.
  const floor = levels.length > 0 ? Math.min(1, levels.at(-1)!) : 1;
  const known = new Map<Float64Array, Precondition>();
  return {
    scale,
    of(diagonal, total) {
      const made = known.get(diagonal) ?? inverse({ diagonal, total, scale, floor, vectors, levels });
      known.set(diagonal, made);
      return made;
    },
  };
}

/** The largest eigenvalues of the scaled covariance (mean over rows) with their vectors, about: one step of subspace iteration. */
async function sketch(
  products: RowProducts,
  scale: Float64Array,
  count: number,
): Promise<{ vectors: Float64Array[]; levels: number[] }> {
  const { rows, width } = products.matrix;
  const all = rowSpread(new Float64Array(rows).fill(1 / rows));
  const random = createRandom(0, "covariance sketch");
  const images = async (vectors: readonly Float64Array[]): Promise<Float64Array[]> => {
    const scores = await products.scores(vectors.map((vector) => product(vector, scale)));
    const sums = await products.gather(scores.map((each) => centredValues(all, each)));
    return sums.map((each) => product(each, scale));
  };
  const start = Array.from({ length: count }, () =>
    Float64Array.from({ length: width }, () => random.gaussian()),
  );
  const first = await images(start);
  const own = symmetricEigen(inner(first, first), count);
  const held = [...own.values.keys()].filter((k) => own.values[k]! > 1e-10 * own.values[0]!);
  const basis = combine(
    first,
    held.map((k) => own.vectors[k]!.map((each) => each / Math.sqrt(own.values[k]!))),
  );
  const { values, vectors } = symmetricEigen(inner(basis, await images(basis)), basis.length);
  const kept = [...values.keys()].filter((k) => values[k]! > 1e-6 * values[0]!);
  return {
    vectors: combine(
      basis,
      kept.map((k) => vectors[k]!),
    ),
    levels: kept.map((k) => values[k]!),
  };
}

/** aᵢ · bₖ, made symmetric. */
function inner(a: readonly Float64Array[], b: readonly Float64Array[]): Float64Array {
  const size = a.length;
  const products = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k <= i; k++) {
      const value = a === b ? dot(a[i]!, b[k]!) : (dot(a[i]!, b[k]!) + dot(a[k]!, b[i]!)) / 2;
      products[i * size + k] = products[k * size + i] = value;
    }
  }
  return products;
}

/** Σ coefficient · column, for each list of coefficients. */
function combine(columns: readonly Float64Array[], coefficients: readonly Float64Array[]): Float64Array[] {
  return coefficients.map((own) => {
    const sum = new Float64Array(columns[0]!.length);
    columns.forEach((column, k) => addTo(sum, own[k]!, column));
    return sum;
  });
}

/** (Δ + U·T·Uᵀ)⁻¹ by Woodbury's identity, Δ diagonal. */
function inverse(parts: {
  diagonal: Float64Array;
  total: number;
  scale: Float64Array;
  floor: number;
  vectors: readonly Float64Array[];
  levels: readonly number[];
}): Precondition {
  const { diagonal, total, scale, floor } = parts;
  const flat = diagonal.map((value, j) => 1 / (value * scale[j]! ** 2 + total * floor));
  const above = parts.levels.map((level) => total * (level - floor));
  const kept = [...above.keys()].filter((k) => above[k]! > 1e-9 * total * floor);
  if (kept.length === 0) return (residuals) => residuals.map((residual) => product(residual, flat));
  const vectors = kept.map((k) => parts.vectors[k]!);
  const divided = vectors.map((vector) => product(vector, flat));
  const count = kept.length;
  const small = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k <= i; k++) {
      small[i * count + k] = small[k * count + i] =
        dot(vectors[i]!, divided[k]!) + (i === k ? 1 / above[kept[i]!]! : 0);
    }
  }
  const factor = cholesky(small, count);
  return (residuals) => {
    const inside = factor.solveMany(
      residuals.map((residual) => divided.map((vector) => dot(vector, residual))),
    );
    return residuals.map((residual, i) => {
      const step = product(residual, flat);
      divided.forEach((vector, k) => addTo(step, -inside[i]![k]!, vector));
      return step;
    });
  };
}
