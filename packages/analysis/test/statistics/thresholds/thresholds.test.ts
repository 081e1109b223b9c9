import fc from "fast-check";
import { expect, test } from "vitest";
import { recallAtFprSchema } from "../../../src/results/recall-at-fpr.ts";
import { chooseThreshold, thresholdAtFpr } from "../../../src/statistics/thresholds/choose-threshold.ts";
import { recallAtFpr } from "../../../src/statistics/thresholds/recall-at-fpr.ts";
import { createRandom } from "../../../src/statistics/random.ts";

const rows = fc
  .array(fc.record({ score: fc.integer({ min: -5, max: 5 }), label: fc.integer({ min: 0, max: 1 }) }), {
    minLength: 2,
    maxLength: 30,
  })
  .filter((given) => new Set(given.map(({ label }) => label)).size === 2);

function quality(given: { score: number; label: number }[], threshold: number, rule: string): number {
  const count = (label: number, above: boolean) =>
    given.filter((row) => row.label === label && row.score > threshold === above).length;
  const total = (label: number) => given.filter((row) => row.label === label).length;
  return rule === "accuracy"
    ? count(1, true) + count(0, false)
    : count(1, true) / total(1) + count(0, false) / total(0);
}

test.each(["youden", "accuracy"] as const)("no threshold is better than the one of %s", (rule) => {
  fc.assert(
    fc.property(rows, (given) => {
      const options = { scores: given.map((r) => r.score), labels: given.map((r) => r.label), rule };
      const found = quality(given, chooseThreshold(options), rule);
      for (let at = -6.5; at < 6; at++) expect(quality(given, at, rule)).toBeLessThanOrEqual(found + 1e-12);
    }),
  );
});

test("the threshold lies in the middle of the widest of equal gaps, whatever the order of rows", () => {
  expect(chooseThreshold({ scores: [0, 1, 5, 6], labels: [0, 0, 1, 1], rule: "youden" })).toBe(3);
  expect(chooseThreshold({ scores: [6, 5, 1, 0], labels: [1, 1, 0, 0], rule: "accuracy" })).toBe(3);
  // All positive is best: below the smallest.
  const threshold = chooseThreshold({ scores: [3, 1, 2], labels: [0, 1, 1], rule: "accuracy" });
  expect(threshold).toBeLessThan(1);
  expect(() => chooseThreshold({ scores: [1], labels: [1], rule: "youden" })).toThrow(/0 negative/);
  expect(() => chooseThreshold({ scores: [1, 2], labels: [0, 1], rule: "f1" as never })).toThrow(/rule/);
});

test("at most the rate lies above the threshold, and a lower score would let more through", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 0, max: 99 }),
      (scores, percent) => {
        const threshold = thresholdAtFpr({ scores, rate: percent / 100 });
        const above = (at: number) => scores.filter((score) => score > at).length;
        expect(above(threshold)).toBeLessThanOrEqual((percent / 100) * scores.length + 1e-9);
        const lower = scores.filter((score) => score < threshold);
        if (lower.length > 0)
          expect(above(Math.max(...lower))).toBeGreaterThan((percent / 100) * scores.length);
      },
    ),
  );
  expect(() => thresholdAtFpr({ scores: [], rate: 0.01 })).toThrow(/needs negative rows/);
});

test("the rate achieved stands beside the recall, with an interval that tells what the rows can", () => {
  const random = createRandom(5, "fpr");
  const draw = (n: number, label: number) => Array.from({ length: n }, () => random.gaussian() + 2 * label);
  const threshold = thresholdAtFpr({ scores: draw(100, 0), rate: 0.05 });
  const scores = [...draw(200, 0), ...draw(200, 1)];
  const labels = scores.map((_, row) => (row < 200 ? 0 : 1));
  const groups = scores.map((_, row) => row >> 1);
  const found = recallAtFpr({ scores, labels, groups }, { rate: 0.05, threshold });
  const { falsePositiveRate: rate, recall } = found;
  expect(rate).toMatchObject({ n: 200, groups: 100 });
  expect(rate.low!).toBeLessThan(rate.value!);
  expect(rate.high! - rate.low!).toBeGreaterThan(0.03);
  expect(recall.value).toBeCloseTo(
    scores.filter((score, row) => labels[row] && score > threshold).length / 200,
  );
  expect(recallAtFprSchema.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
  // No alarm at all: the rate may still be some percent.
  const none = recallAtFpr({ scores, labels, groups }, { rate: 0.01, threshold: 100 });
  expect(none.falsePositiveRate).toMatchObject({ value: 0, low: 0 });
  expect(none.falsePositiveRate.high!).toBeGreaterThan(0.03);
});

test("P5: no negative row, no rate", () => {
  const found = recallAtFpr({ scores: [1, 2], labels: [1, 1], groups: [0, 1] }, { rate: 0.05, threshold: 0 });
  expect(found.falsePositiveRate).toMatchObject({ value: null, reason: "there is no negative row" });
});
