import { expect, test } from "vitest";
import { delongDifferenceSchema } from "../../../src/results/delong.ts";
import { delongAuroc, delongDifference } from "../../../src/statistics/intervals/delong.ts";
import { estimateMetric } from "../../../src/statistics/metrics/estimate-metric.ts";
import { aurocMetric } from "../../../src/statistics/metrics/auroc.ts";
import { fixture } from "../statistics-fixture.ts";

const { rows, delong } = fixture.binary;
const { labels, scores, other, group: groups } = rows;

test("values and errors equal Obuchowski's formula over all pairs, ties included", () => {
  [scores, other].forEach((one, i) => {
    const found = delongAuroc({ scores: one, labels, groups });
    expect(found.value).toBeCloseTo(delong.values[i]!, 12);
    expect(found.standardError! ** 2).toBeCloseTo(delong.covariance[i]![i]!, 12);
  });
  const [[a, c], [, b]] = delong.covariance;
  const difference = delongDifference({ scores: [scores, other], labels, groups });
  expect(difference.value).toBeCloseTo(delong.values[0] - delong.values[1], 12);
  expect(difference.standardError! ** 2).toBeCloseTo(a + b - 2 * c, 12);
  expect(difference.p!).toBeGreaterThan(0.05);
  expect(difference.low!).toBeLessThan(0);
  expect(delongDifferenceSchema.parse(JSON.parse(JSON.stringify(difference)))).toEqual(difference);
});

test("lies near the bootstrap, and inside 0 … 1", () => {
  const found = delongAuroc({ scores, labels, groups });
  const drawn = estimateMetric(aurocMetric, { scores, labels, groups }, { draws: 4000 });
  expect(found.low!).toBeCloseTo(drawn.low!, 1);
  expect(found.high!).toBeCloseTo(drawn.high!, 1);
  const wide = delongAuroc({
    scores: [1, 2, 3, 4, 5, 6],
    labels: [0, 0, 1, 0, 1, 1],
    groups: [1, 2, 3, 4, 5, 6],
  });
  expect(wide.low!).toBeGreaterThan(0);
  expect(wide.high!).toBeLessThan(1);
});

test("with folds, pairs of one fold count: one fold twice is the fold", () => {
  const twice = <T>(values: T[]) => [...values, ...values];
  const strata = labels.map(() => 0).concat(labels.map(() => 1));
  const once = delongAuroc({ scores, labels, groups });
  const both = delongAuroc({
    scores: [...scores, ...scores.map((score) => score + 50)],
    labels: twice(labels),
    groups: twice(groups),
    strata,
  });
  expect(both.value).toBeCloseTo(once.value!, 12);
  expect(both.standardError).toBeCloseTo(once.standardError!, 12);
});

test("P5: no class, no groups, no spread: null with the reason", () => {
  expect(delongAuroc({ scores: [1, 2], labels: [1, 1], groups: [0, 1] })).toMatchObject({
    value: null,
    standardError: null,
    reason: /0 negative/,
  });
  expect(delongAuroc({ scores: [1, 2, 3, 4], labels: [0, 1, 0, 1], groups: [0, 0, 1, 1] })).toMatchObject({
    value: 0.75,
    low: null,
    reason: /at least 3 groups/,
  });
  expect(delongAuroc({ scores: [1, 2, 3, 4], labels: [0, 0, 1, 1], groups: [0, 1, 2, 3] })).toMatchObject({
    value: 1,
    low: null,
    high: null,
    standardError: 0,
    reason: /do not differ/,
  });
  expect(delongDifference({ scores: [scores, scores], labels, groups })).toMatchObject({
    value: 0,
    p: null,
    reason: /do not differ/,
  });
});

test("options are checked", () => {
  expect(() => delongAuroc({ scores, labels, groups }, { level: 95 })).toThrow(/level/);
  expect(() => delongDifference({ scores: [scores], labels, groups } as never)).toThrow(/scores/);
});
