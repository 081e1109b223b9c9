import { expect, test } from "vitest";
import { leadingEigen } from "../../src/linalg/leading-eigen.ts";
import { symmetricEigen } from "../../src/linalg/symmetric-eigen.ts";
import { createRandom } from "../../src/statistics/random.ts";

const size = 40;
const random = createRandom(1, "eigen");
const rows = Array.from({ length: size }, () => Float64Array.from({ length: size }, () => random.gaussian()));
// Three directions far longer than the rest.
const stretched = rows.map((row) => row.map((value, j) => (j < 3 ? 30 * (3 - j) * value : value)));
const matrix = Float64Array.from({ length: size * size }, (_, at) => {
  const [i, j] = [Math.floor(at / size), at % size];
  return stretched.reduce((sum, row) => sum + row[i]! * row[j]!, 0);
});
const product = (vectors: readonly Float64Array[]) =>
  Promise.resolve(
    vectors.map((vector) =>
      Float64Array.from({ length: size }, (_, i) =>
        vector.reduce((sum, value, j) => sum + matrix[i * size + j]! * value, 0),
      ),
    ),
  );

test("finds the leading eigenvectors of a matrix that is known by its products", async () => {
  const all = symmetricEigen(matrix, size);
  const { values, vectors } = await leadingEigen(product, { size, rank: 10, rounds: 4 });
  for (let k = 0; k < 3; k++) {
    expect(values[k]! / all.values[k]!).toBeCloseTo(1, 4);
    const along = vectors[k]!.reduce((sum, value, j) => sum + value * all.vectors[k]![j]!, 0);
    expect(Math.abs(along)).toBeCloseTo(1, 3);
  }
  vectors.forEach((vector) => expect(Math.hypot(...vector)).toBeCloseTo(1, 8));
  expect(await leadingEigen(product, { size, rank: 10, rounds: 4 })).toEqual({ values, vectors });
});

test("of a rank beyond the size, all of them", async () => {
  const { values } = await leadingEigen(product, { size, rank: 100 });
  symmetricEigen(matrix, size).values.forEach((value, k) => expect(values[k]! / value).toBeCloseTo(1, 6));
});
