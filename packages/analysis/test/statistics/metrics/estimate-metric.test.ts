import { expect, test } from "vitest";
import { estimateSchema } from "../../../src/results/estimate.ts";
import { metricDifferenceSchema } from "../../../src/results/metric-difference.ts";
import { aurocMetric } from "../../../src/statistics/metrics/auroc.ts";
import { estimateMetric } from "../../../src/statistics/metrics/estimate-metric.ts";
import { metricDifference } from "../../../src/statistics/metrics/metric-difference.ts";
import { brierMetric } from "../../../src/statistics/metrics/probability-metrics.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { fixture } from "../statistics-fixture.ts";

const { labels, scores, other: noise, group: groups } = fixture.binary.rows;
/** Most of it is `scores`. */
const other = scores.map((score, row) => score + 0.3 * noise[row]!);

test("a metric comes with its interval, its rows and groups, and repeats bit for bit", () => {
  const estimate = estimateMetric(aurocMetric, { scores, labels, groups });
  expect(estimate).toMatchObject({ n: labels.length, groups: 30, undefinedDraws: 0 });
  expect(estimate.low!).toBeLessThan(estimate.value!);
  expect(estimate.high!).toBeGreaterThan(estimate.value!);
  expect(estimateMetric(aurocMetric, { scores, labels, groups })).toEqual(estimate);
  expect(estimateMetric(aurocMetric, { scores, labels, groups }, { seed: 1 })).not.toEqual(estimate);
  expect(estimateSchema.parse(JSON.parse(JSON.stringify(estimate)))).toEqual(estimate);
});

test("P18: draws of one class are counted, and many of them leave no interval", () => {
  const estimate = estimateMetric(
    aurocMetric,
    { scores: [1, 3, 2, 4], labels: [0, 0, 0, 1], groups: ["a", "b", "c", "d"] },
    { draws: 2000 },
  );
  // A draw of four has no positive with probability (3/4)⁴ = 0.316, and no negative with (1/4)⁴.
  expect(estimate.undefinedDraws! / 2000).toBeCloseTo(0.32, 1);
  expect(estimate).toMatchObject({ value: 1, low: null, high: null });
  expect(estimate.reason).toMatch(/an interval needs more groups of the rarer class/);
});

test("P5: a metric that is undefined is null with its reason", () => {
  expect(estimateMetric(aurocMetric, { scores: [1, 2], labels: [0, 0], groups: [0, 1] })).toEqual({
    value: null,
    low: null,
    high: null,
    n: 2,
    groups: 2,
    reason: "AUROC needs rows of both classes: there are 0 positive and 2 negative",
  });
});

test("rows need groups, and options are checked", () => {
  const rows = { scores, labels, groups };
  expect(() => estimateMetric(aurocMetric, { scores, labels } as never)).toThrow(/groups.*nothing/);
  expect(() => estimateMetric(aurocMetric, { ...rows, groups: [1] })).toThrow(/1 groups/);
  expect(() => estimateMetric(aurocMetric, rows, { draws: 0 })).toThrow(/draws/);
  expect(() => estimateMetric(aurocMetric, rows, { drwas: 10 } as never)).toThrow(/drwas/);
});

test("a paired difference is on the same draws: what the scores share cancels", () => {
  const difference = metricDifference(aurocMetric, { scores: [scores, other], labels, groups });
  const first = estimateMetric(aurocMetric, { scores, labels, groups });
  const second = estimateMetric(aurocMetric, { scores: other, labels, groups });
  expect(difference.value).toBeCloseTo(first.value! - second.value!, 12);
  const width = (one: { low: number | null; high: number | null }) => one.high! - one.low!;
  expect(width(difference)).toBeLessThan(0.6 * Math.hypot(width(first), width(second)));
  expect(metricDifference(aurocMetric, { scores: [scores, scores], labels, groups })).toMatchObject({
    value: 0,
    low: 0,
    high: 0,
    standardError: null,
  });
});

test("P12: a difference comes with the smallest one that these groups could show", () => {
  const half = (keep: (group: number) => boolean) => {
    const rows = [...labels.keys()].filter((row) => keep(groups[row]!));
    const pick = (values: number[]) => rows.map((row) => values[row]!);
    return metricDifference(aurocMetric, {
      scores: [pick(scores), pick(other)],
      labels: pick(labels),
      groups: pick(groups),
    });
  };
  const [few, all] = [half((group) => group % 4 === 0), half(() => true)];
  expect(few.smallestDetectable!).toBeGreaterThan(1.5 * all.smallestDetectable!);
  // t₀.₉₇₅ + t₀.₈ of 29 degrees of freedom.
  expect(all.smallestDetectable! / all.standardError!).toBeCloseTo(2.0452 + 0.8542, 3);
  expect(metricDifferenceSchema.parse(JSON.parse(JSON.stringify(all)))).toEqual(all);
});

test("two scores that are equally good near the ceiling are told apart no more often than 5 %", () => {
  const random = createRandom(9, "ceiling");
  const groups = Array.from({ length: 120 }, (_, row) => row >> 1);
  const labels = groups.map((_, row) => row % 2);
  const score = () => labels.map((label) => 3 * label + random.gaussian());
  let found = 0;
  for (let set = 0; set < 400; set++) {
    const rows = { labels, groups, scores: [score(), score()] as const };
    const { low, high } = metricDifference(aurocMetric, rows, { draws: 200, seed: set });
    found += Number(low! > 0 || high! < 0);
  }
  // A share of 400 has a standard deviation of 1.1 %; with the shifts of BCa about 9 % are found.
  expect(found / 400).toBeLessThan(0.073);
});

test("a difference of what is undefined is null with its reason", () => {
  const rows = { labels: [0, 0], groups: [0, 1] };
  expect(
    metricDifference(aurocMetric, {
      ...rows,
      scores: [
        [1, 2],
        [1, 2],
      ],
    }),
  ).toMatchObject({
    value: null,
    smallestDetectable: null,
    reason: /0 positive/,
  });
  expect(() => metricDifference(brierMetric, { ...rows, scores: [[0, 1]] as never })).toThrow(/scores/);
});
