import { expect, test } from "vitest";
import { cholesky } from "../../src/linalg/cholesky.ts";
import { gramFactor } from "../../src/linalg/gram-factor.ts";
import { createRandom } from "../../src/statistics/random.ts";

test.each([
  [5, 3],
  [40, 17],
  [1500, 33],
  [2049, 4],
])("of %i rows of %i features: factored and solved as in float64, to 1e-4", (rows, width) => {
  const random = createRandom(rows, "gram");
  const values = Float32Array.from({ length: rows * width }, () => random.gaussian() + 1);
  const mean = Float64Array.from({ length: width }, (_, j) => 1 + j / 100);
  const scale = Float64Array.from({ length: width }, (_, j) => 1 / (1 + j / 10));
  const gram = new Float64Array(width * width);
  for (let row = 0; row < rows; row++) {
    const z = mean.map((center, j) => (values[row * width + j]! - center) * scale[j]!);
    z.forEach((a, i) => z.forEach((b, j) => (gram[i * width + j]! += a * b)));
  }
  const factored = gramFactor(values, { width, mean, scale });
  const largest = Math.max(...z0(gram, width));
  expect(Math.abs(factored.largest / largest - 1)).toBeLessThan(1e-5);
  const rights = Array.from({ length: 9 }, () =>
    Float64Array.from({ length: width + 1 }, () => random.gaussian()),
  );
  for (const share of [1e-3, 1]) {
    const shifted = gram.map((value, at) => share * value + (at % (width + 1) === 0 ? 1 : 0));
    const exact = cholesky(shifted, width).solveMany(rights);
    const solved = rights.map((right) => right.slice());
    factored.factor(share, 1);
    factored.solve(solved);
    exact.forEach((own, k) => {
      const norm = Math.hypot(...own);
      own.forEach((value, j) => expect(Math.abs(solved[k]![j]! - value)).toBeLessThan(1e-4 * norm));
      // What lies beyond the features is not touched.
      expect(solved[k]![width]).toBe(rights[k]![width]);
    });
  }
});

const z0 = (gram: Float64Array, width: number) => gram.filter((_, at) => at % (width + 1) === 0);

test("a shift that leaves no positive definite matrix is refused", () => {
  const values = new Float32Array(20).fill(1);
  const factored = gramFactor(values, {
    width: 2,
    mean: new Float64Array(2),
    scale: new Float64Array(2).fill(1),
  });
  expect(() => factored.factor(1, -30)).toThrow(expect.objectContaining({ code: "not_positive_definite" }));
});
