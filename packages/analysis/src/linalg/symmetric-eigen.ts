import { EigenvalueDecomposition, Matrix } from "ml-matrix";

/** Eigenvalues from the largest, and the unit vector of each (`vectors[k]` is `[size]`). */
export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: readonly Float64Array[];
}

/** All eigenvalues of a symmetric matrix (`[size, size]`, row-major), in float64: for sizes up to a few hundred. */
export function symmetricEigen(matrix: ArrayLike<number>, size: number): SymmetricEigen {
  const rows = Array.from({ length: size }, (_, i) =>
    Float64Array.from({ length: size }, (_, j) => matrix[i * size + j]!),
  );
  const found = new EigenvalueDecomposition(new Matrix(rows), { assumeSymmetric: true });
  const order = [...found.realEigenvalues.keys()].sort(
    (a, b) => found.realEigenvalues[b]! - found.realEigenvalues[a]!,
  );
  return {
    values: Float64Array.from(order, (k) => found.realEigenvalues[k]!),
    vectors: order.map((k) =>
      Float64Array.from({ length: size }, (_, i) => found.eigenvectorMatrix.get(i, k)),
    ),
  };
}
