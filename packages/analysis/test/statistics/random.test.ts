import { expect, test } from "vitest";
import { createRandom } from "../../src/statistics/random.ts";

test("the same seed and stream repeat; another seed or stream does not", () => {
  const first = (seed: number, stream: string) => {
    const random = createRandom(seed, stream);
    return Array.from({ length: 5 }, () => random.uniform());
  };
  expect(first(1, "a")).toEqual(first(1, "a"));
  expect(first(1, "a")).not.toEqual(first(2, "a"));
  expect(first(1, "a")).not.toEqual(first(1, "b"));
});

test("gaussian has mean 0, variance 1 and the tails of a normal", () => {
  const random = createRandom(5, "moments");
  const values = Array.from({ length: 100_000 }, () => random.gaussian());
  const mean = values.reduce((a, b) => a + b) / values.length;
  const variance = values.reduce((sum, v) => sum + v * v, 0) / values.length;
  expect(Math.abs(mean)).toBeLessThan(0.015);
  expect(Math.abs(variance - 1)).toBeLessThan(0.02);
  // P(|z| > 1.96) = 0.05
  expect(values.filter((v) => Math.abs(v) > 1.96).length / values.length).toBeCloseTo(0.05, 2);
});

test("shuffle is a permutation that puts each item in each place equally often", () => {
  const random = createRandom(6, "shuffle");
  const counts = [0, 0, 0];
  for (let i = 0; i < 3000; i++) counts[random.shuffle([0, 1, 2]).indexOf(0)]! += 1;
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
});
