import { createRandom } from "../statistics/random.ts";
import { cholesky } from "./cholesky.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

/** Eigenvalues from the largest, and the unit vector of each (`[size]`). */
export interface LeadingEigen {
  readonly values: Float64Array;
  readonly vectors: readonly Float64Array[];
}

/**
 * About the `rank` largest eigenvalues of a symmetric matrix that is known by its products only, by `rounds` rounds of block
 * iteration from seeded random vectors, and Rayleigh–Ritz (Halko, Martinsson & Tropp 2011, algorithm 4.4).
 */
export async function leadingEigen(
  product: (vectors: readonly Float64Array[]) => Promise<readonly ArrayLike<number>[]>,
  { size, rank, rounds = 2, seed = 0 }: { size: number; rank: number; rounds?: number; seed?: number },
): Promise<LeadingEigen> {
  const random = createRandom(seed, "leading eigenvectors");
  let basis: Float64Array[] = Array.from({ length: Math.min(rank, size) }, () =>
    Float64Array.from({ length: size }, () => random.gaussian()),
  );
  let image: readonly ArrayLike<number>[] = basis;
  for (let round = 0; round < rounds; round++) {
    basis = orthonormal(image);
    image = await product(basis);
  }
  const inner = pairs(basis, image);
  const { values, vectors } = symmetricEigen(inner, basis.length);
  return { values, vectors: vectors.map((mix) => combined(basis, mix)) };
}

/** An orthonormal basis of what the vectors span: Cholesky QR, twice, since once loses digits. */
function orthonormal(vectors: readonly ArrayLike<number>[]): Float64Array[] {
  const once = cholesky(pairs(vectors, vectors), vectors.length).whiten(vectors);
  return cholesky(pairs(once, once), once.length).whiten(once);
}

/** Products of each of `a` with each of `b`, made symmetric. */
function pairs(a: readonly ArrayLike<number>[], b: readonly ArrayLike<number>[]): Float64Array {
  const count = a.length;
  const products = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let m = 0; m < a[i]!.length; m++) sum += a[i]![m]! * b[j]![m]!;
      products[i * count + j] = products[j * count + i] = sum;
    }
  }
  return products;
}

function combined(basis: readonly Float64Array[], mix: Float64Array): Float64Array {
  const sum = new Float64Array(basis[0]!.length);
  basis.forEach((vector, k) => {
    for (let j = 0; j < sum.length; j++) sum[j]! += mix[k]! * vector[j]!;
  });
  return sum;
}
