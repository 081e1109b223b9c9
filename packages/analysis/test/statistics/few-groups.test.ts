import { expect, test } from "vitest";
import { fitCalibration } from "../../src/statistics/calibration/calibration.ts";
import { indexGroups } from "../../src/statistics/group-folds.ts";
import { delongAuroc } from "../../src/statistics/intervals/delong.ts";
import { shareInterval } from "../../src/statistics/intervals/share-interval.ts";
import { aurocMetric } from "../../src/statistics/metrics/auroc.ts";
import { calibrationErrorMetric } from "../../src/statistics/metrics/calibration-error.ts";
import { estimateMetric } from "../../src/statistics/metrics/estimate-metric.ts";
import { rSquaredMetric } from "../../src/statistics/metrics/number-metrics.ts";
import { createRandom } from "../../src/statistics/random.ts";

/** `positives` of 201 rows, each a group of its own. */
function rare(positives: number) {
  const random = createRandom(5, "rare class");
  const labels = Array.from({ length: 201 }, (_, row) => (row < positives ? 1 : 0));
  return { labels, scores: labels.map((label) => label + random.gaussian()), groups: [...labels.keys()] };
}

test("a class in one group has no interval; in two DeLong's is very wide, and draws give none", () => {
  const [one, two] = [delongAuroc(rare(1)), delongAuroc(rare(2))];
  expect(one).toMatchObject({ low: null, high: null });
  expect(one.reason).toMatch(/at least 2 groups of each class: 1 have positive rows, and 200/);
  expect(two.high! - two.low!).toBeGreaterThan(0.5);
  for (const positives of [1, 2, 3])
    expect(estimateMetric(aurocMetric, rare(positives)).reason).toMatch(/more groups of the rarer class/);
  expect(estimateMetric(aurocMetric, rare(6)).low).not.toBeNull();
});

test("one group has no interval", () => {
  const labels = [0, 1, 0, 1];
  const estimate = estimateMetric(aurocMetric, { scores: [1, 2, 3, 4], labels, groups: [7, 7, 7, 7] });
  expect(estimate).toMatchObject({ value: 0.75, low: null, high: null });
  expect(estimate.reason).toMatch(/at least 2 groups/);
  expect(shareInterval({ hits: [true, false], groups: ["a", "a"] })).toMatchObject({ value: 0.5, low: null });
});

test("hits of another length or kind, and groups that are NaN, are refused", () => {
  expect(() => shareInterval({ hits: [true, false, true], groups: [1, 2] })).toThrow(/3 scores and 2 groups/);
  expect(() => shareInterval(undefined as never)).toThrow(/shareInterval/);
  expect(() => shareInterval({ hits: [Number.NaN, 1], groups: [1, 2] })).toThrow(/row 0 is NaN/);
  expect(() => indexGroups([1, Number.NaN])).toThrow(/Row 1 has no group/);
  expect(() => indexGroups([1, null], (place) => [90, 100][place]!)).toThrow(/Row 100 has no group/);
});

test.each([0.1, 0.3, 1e-5])("constant scores of %d calibrate to their share alone", (score) => {
  const labels = [0, 1, 0, 1, 0, 1, 0];
  const fit = fitCalibration({ scores: labels.map(() => score), labels, method: "platt" });
  expect(fit).toMatchObject({ slope: 0 });
});

test("probabilities on an edge lie in scikit-learn's bin", () => {
  const rows = { scores: [0.07, 0.07, 0.065, 0.075], labels: [0, 1, 0, 1] };
  expect(calibrationErrorMetric({ bins: 100 }).prepare(rows).value()).toBeCloseTo(0.43, 12);
});

test("R² of redrawn rows without a far outlier is that of the others", () => {
  const labels = [1, 2, 3, 4, 1e8];
  const prepared = rSquaredMetric.prepare({ scores: [1.1, 2.1, 2.9, 3.9, 1e8], labels });
  expect(prepared.value([1, 1, 1, 1, 0])).toBeCloseTo(1 - 0.04 / 5, 9);
});
