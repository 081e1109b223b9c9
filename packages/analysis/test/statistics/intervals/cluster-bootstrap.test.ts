import { expect, test } from "vitest";
import { bootstrapMean } from "../../../src/statistics/intervals/bootstrap-mean.ts";
import { bootstrapValues, clusterBootstrap } from "../../../src/statistics/intervals/cluster-bootstrap.ts";
import { interval } from "../../../src/statistics/intervals/interval.ts";
import { createRandom } from "../../../src/statistics/random.ts";

test("the interval interpolates as numpy.quantile does", () => {
  // numpy.quantile([1, 2, 4, 8, 16], [0.025, 0.975]) = [1.1, 15.2]
  expect(interval([16, 1, 8, 2, 4])!.low).toBeCloseTo(1.1, 12);
  expect(interval([16, 1, 8, 2, 4])!.high).toBeCloseTo(15.2, 12);
  expect(interval([])).toBeNull();
});

test("an interval is never of NaN or infinity", () => {
  expect(() => interval([1, NaN])).toThrow(/Value 1 is NaN/);
  expect(() => interval([Infinity])).toThrow(/Value 0 is Infinity/);
  expect(() => interval([1], 1)).toThrow(/level is 1/);
  const random = createRandom(0, "test");
  expect(() => clusterBootstrap({ groups: 2, draws: 9, random }, () => 0 / 0)).toThrow(
    /draw 0 is NaN: return null/,
  );
});

test("options of a bootstrap are checked", () => {
  const bad = (options: unknown) => () => clusterBootstrap(options as never, () => 1);
  expect(bad(undefined)).toThrow(/clusterBootstrap/);
  expect(bad({ groups: 0, draws: 9, random: createRandom(0) })).toThrow(/groups/);
  expect(bad({ groups: 3, draws: 9, random: createRandom(0), methode: "x" })).toThrow(/methode/);
});

test("the adjusted interval is wider than the percentiles for few groups, and equal for many", () => {
  const width = (groups: number, interval: "adjusted" | "percentile") => {
    const random = createRandom(7, "values");
    const values = Array.from({ length: groups }, () => random.gaussian());
    const { low, high } = clusterBootstrap(
      { groups, draws: 4000, random: createRandom(8, "draws"), interval },
      (drawn) => values.reduce((sum, value, i) => sum + value * drawn[i]!, 0) / groups,
    );
    return high! - low!;
  };
  // √(8/7) · t₇ / 1.96 = 1.29, more where one of the eight outweighs the others.
  expect(width(8, "adjusted") / width(8, "percentile")).toBeGreaterThan(1.2);
  expect(width(400, "adjusted") / width(400, "percentile")).toBeCloseTo(1, 1);
});

test("the interval holds the value where all draws lie on one side of it", () => {
  const options = { groups: 20, draws: 400, random: createRandom(1, "draws") };
  const { low, high } = clusterBootstrap(options, (drawn) =>
    drawn.every((count) => count === 1) ? 0.6 : 0.7,
  );
  expect(low).toBe(0.6);
  expect(high).toBe(0.7);
});

test("a statistic that does not vary has an interval of one point", () => {
  const random = createRandom(0, "test");
  expect(clusterBootstrap({ groups: 5, draws: 20, random }, () => 1)).toEqual({
    low: 1,
    high: 1,
    undefinedDraws: 0,
  });
});

test("draws in which the statistic is undefined are counted, not hidden", () => {
  const random = createRandom(1, "test");
  const result = clusterBootstrap({ groups: 2, draws: 2000, random }, (drawn) =>
    drawn[0] ? drawn[0] : null,
  );
  // Group 0 is missing from a draw of two with probability 1/4.
  expect(result.undefinedDraws / 2000).toBeGreaterThan(0.21);
  expect(result.undefinedDraws / 2000).toBeLessThan(0.29);
  expect(result).toMatchObject({ low: null, high: null });
  expect(result.reason).toMatch(/redrawn sets of groups leave the measure undefined/);
});

test("each draw takes as many groups as there are", () => {
  const random = createRandom(2, "test");
  const sums: number[] = [];
  bootstrapValues({ groups: 9, draws: 50, random }, (drawn) => sums.push(drawn.reduce((a, b) => a + b, 0)));
  expect(new Set(sums)).toEqual(new Set([9]));
});

test("resampling groups sees the spread between them; resampling rows does not", () => {
  // 30 groups of 20 equal rows: the standard error of the mean is that of 30 numbers, not of 600.
  const random = createRandom(3, "data");
  const effects = Array.from({ length: 30 }, () => random.gaussian());
  const values = Array.from({ length: 600 }, (_, row) => effects[Math.floor(row / 20)]!);
  const width = (groupOf: number[], groups: number) => {
    const random = createRandom(4, "draws");
    const mean = bootstrapMean({ values, groupOf, groups, draws: 1000, random, absent: "none" });
    return mean.high! - mean.low!;
  };
  const byGroup = width(
    values.map((_, row) => Math.floor(row / 20)),
    30,
  );
  const byRow = width([...values.keys()], 600);
  expect(byGroup / byRow).toBeGreaterThan(3.5);
  expect(byGroup / byRow).toBeLessThan(5.5);
});

test("a mean of nothing is undefined with its reason", () => {
  const options = {
    values: [undefined],
    groupOf: [0],
    groups: 1,
    draws: 10,
    random: createRandom(0),
    absent: "no prompt",
  };
  expect(bootstrapMean(options)).toMatchObject({ value: null, low: null, reason: "no prompt", n: 0 });
});
