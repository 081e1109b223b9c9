import { expect, test } from "vitest";
import { maximumStatistic } from "../../../src/statistics/permutation/maximum-statistic.ts";
import { permutationP } from "../../../src/statistics/permutation/permutation-p.ts";
import { createRandom } from "../../../src/statistics/random.ts";

test("p counts the observed labels as one of their arrangements, and ties as reached", () => {
  expect(permutationP({ observed: 0.9, shuffled: [0.5, 0.9, 0.4] })).toEqual({
    p: 2 / 4,
    shuffles: 3,
    exceeding: 1,
    undefinedShuffles: 0,
  });
  expect(permutationP({ observed: 1, shuffled: new Array<number>(99).fill(0) }).p).toBe(0.01);
  // The same value but for rounding.
  expect(permutationP({ observed: 0.3, shuffled: [0.1 + 0.2, 0.3 - 1e-16] }).exceeding).toBe(2);
});

test("P5: undefined shuffles are counted and left out; nothing defined has no p", () => {
  expect(permutationP({ observed: 1, shuffled: [null, 0, null] })).toMatchObject({
    p: 1 / 2,
    shuffles: 1,
    undefinedShuffles: 2,
  });
  expect(permutationP({ observed: null, shuffled: [0] })).toMatchObject({ p: null, reason: /statistic/ });
  expect(permutationP({ observed: 1, shuffled: [null] })).toMatchObject({ p: null, reason: /no shuffle/ });
  expect(() => permutationP({ observed: 1, shuffled: [NaN] })).toThrow(/finite numbers/);
});

test("the maximum statistic by hand", () => {
  const found = maximumStatistic({
    observed: [0.9, 0.6, null],
    shuffled: [
      [0.5, 0.7, 0.4],
      [0.95, 0.2, null],
      [0.1, 0.3, 0.65],
      [null, null, null],
    ],
  });
  // Maxima 0.7, 0.95, 0.65.
  expect(found.adjusted).toEqual([2 / 4, 4 / 4, null]);
  expect(found.single.map(({ p }) => p)).toEqual([2 / 4, 2 / 4, null]);
  expect(found).toMatchObject({ shuffles: 3, threshold: null });
});

test("no layer of noise passes in more than 5 % of experiments, though the best alone would in most", () => {
  const random = createRandom(2, "layers");
  const layers = 30;
  const noise = () => Array.from({ length: layers }, () => random.gaussian());
  let [corrected, uncorrected] = [0, 0];
  for (let run = 0; run < 200; run++) {
    const { adjusted, single, threshold } = maximumStatistic({
      observed: noise(),
      shuffled: Array.from({ length: 99 }, noise),
    });
    corrected += Number(adjusted.some((p) => p! <= 0.05));
    uncorrected += Number(single.some(({ p }) => p! <= 0.05));
    expect(threshold).toBeGreaterThan(2);
  }
  expect(corrected / 200).toBeLessThan(0.09);
  expect(uncorrected / 200).toBeGreaterThan(0.6);
});

test("a value above the threshold has an adjusted p of at most 5 %, one on it more", () => {
  const shuffled = Array.from({ length: 99 }, (_, i) => [i / 100]);
  const { threshold } = maximumStatistic({ observed: [0], shuffled });
  const adjusted = (value: number) => maximumStatistic({ observed: [value], shuffled }).adjusted[0]!;
  expect(adjusted(threshold! + 1e-6)).toBeLessThanOrEqual(0.05);
  expect(adjusted(threshold!)).toBeGreaterThan(0.05);
});

test("shuffles of another number of layers are refused", () => {
  expect(() => maximumStatistic({ observed: [1, 2], shuffled: [[1]] })).toThrow(
    /Shuffle 0 has 1 statistics for 2 layers/,
  );
  expect(() => maximumStatistic({ observed: [NaN], shuffled: [] })).toThrow(/observed/);
});
