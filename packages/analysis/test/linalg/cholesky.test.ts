import { expect, test } from "vitest";
import { CholeskyDecomposition, Matrix } from "ml-matrix";
import { cholesky } from "../../src/linalg/cholesky.ts";
import { createRandom } from "../../src/statistics/random.ts";

/** A random positive definite matrix and right-hand sides. */
function problem(size: number, rights: number) {
  const random = createRandom(size, "cholesky");
  const gaussian = (n: number) => Float64Array.from({ length: n }, () => random.gaussian());
  const rows = Array.from({ length: size }, () => gaussian(size));
  const matrix = Float64Array.from({ length: size * size }, (_, at) => {
    const [a, b] = [rows[Math.floor(at / size)]!, rows[at % size]!];
    return a.reduce((sum, value, j) => sum + value * b[j]!, at % (size + 1) === 0 ? size / 10 : 0);
  });
  return { matrix, rights: Array.from({ length: rights }, () => gaussian(size)) };
}

test.each([1, 3, 4, 15, 16, 17, 40, 97])("solves %i equations as ml-matrix does, to 1e-9", (size) => {
  const { matrix, rights } = problem(size, 6);
  const reference = new CholeskyDecomposition(Matrix.from1DArray(size, size, matrix));
  const solved = cholesky(matrix, size).solveMany(rights);
  rights.forEach((right, k) => {
    const expected = reference.solve(Matrix.columnVector(right)).to1DArray();
    expected.forEach((value, i) =>
      expect(Math.abs(solved[k]![i]! - value)).toBeLessThan(1e-9 * (1 + Math.abs(value))),
    );
  });
  expect(cholesky(matrix, size).solve(rights[0]!)).toEqual(solved[0]);
});

test("only the lower half is read", () => {
  const { matrix, rights } = problem(20, 1);
  const lower = matrix.map((value, at) => (at % 20 > Math.floor(at / 20) ? NaN : value));
  expect(cholesky(lower, 20).solve(rights[0]!)).toEqual(cholesky(matrix, 20).solve(rights[0]!));
});

test("a matrix that is not positive definite is refused with the column", () => {
  const matrix = Float64Array.from({ length: 400 }, (_, at) => (at === 21 * 18 ? -1 : at % 21 === 0 ? 1 : 0));
  expect(() => cholesky(matrix, 20)).toThrow(
    expect.objectContaining({ code: "not_positive_definite", data: { size: 20, at: 18 } }),
  );
  expect(() => cholesky([0], 1)).toThrow(/not positive definite/);
  expect(() => cholesky([NaN], 1)).toThrow(/not positive definite/);
});
