import { describe, expect, test } from "vitest";
import { aurocMetric } from "../../../src/statistics/metrics/auroc.ts";
import { calibrationErrorMetric } from "../../../src/statistics/metrics/calibration-error.ts";
import { macroAurocMetric } from "../../../src/statistics/metrics/macro-auroc.ts";
import type { Metric } from "../../../src/statistics/metrics/metric.ts";
import { rSquaredMetric } from "../../../src/statistics/metrics/number-metrics.ts";
import { brierMetric, logLossMetric } from "../../../src/statistics/metrics/probability-metrics.ts";
import { spearmanMetric } from "../../../src/statistics/metrics/spearman.ts";
import {
  accuracyMetric,
  balancedAccuracyMetric,
  falsePositiveRateMetric,
  recallMetric,
} from "../../../src/statistics/metrics/threshold-metrics.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { fixture } from "../statistics-fixture.ts";

const { rows, threshold, measured } = fixture.binary;
const { labels, group: unit } = rows;

const likeSklearn: [Metric, number[], Exclude<keyof (typeof measured)[0], "draw">][] = [
  [aurocMetric, rows.scores, "auroc"],
  [accuracyMetric({ threshold }), rows.scores, "accuracy"],
  [balancedAccuracyMetric({ threshold }), rows.scores, "balancedAccuracy"],
  [recallMetric({ threshold }), rows.scores, "recall"],
  [brierMetric, rows.probabilities, "brier"],
  [logLossMetric, rows.probabilities, "logLoss"],
];

describe.each(likeSklearn)("$name", (metric, scores, field) => {
  test("equals scikit-learn within 1e-12, on all rows and on redrawn groups as sample weights", () => {
    const prepared = metric.prepare({ scores, labels, unit });
    expect(prepared.value()).toBeCloseTo(measured[0]![field], 12);
    for (const one of measured) expect(prepared.value(one.draw)).toBeCloseTo(one[field], 12);
  });
});

test("R² and Spearman's correlation equal scikit-learn's and SciPy's, ties and redrawn rows included", () => {
  const { measured, ...numbers } = fixture.numbers;
  for (const { draw, rSquared, spearman } of measured) {
    expect(rSquaredMetric.prepare(numbers).value(draw)).toBeCloseTo(rSquared, 9);
    expect(spearmanMetric.prepare(numbers).value(draw)).toBeCloseTo(spearman, 12);
  }
});

test("Spearman's correlation with strata is that of each, averaged by rows", () => {
  const { labels, scores } = fixture.numbers;
  const strata = labels.map((_, row) => (row < 20 ? 1 : 0));
  const part = (from: number, to: number) =>
    spearmanMetric.prepare({ scores: scores.slice(from, to), labels: labels.slice(from, to) }).value()!;
  const expected = (20 * part(0, 20) + 40 * part(20, 60)) / 60;
  // What shifts all scores of a stratum changes nothing.
  const shifted = scores.map((score, row) => score + 100 * strata[row]!);
  expect(spearmanMetric.prepare({ scores: shifted, labels, strata }).value()).toBeCloseTo(expected, 12);
});

test("macro AUROC equals scikit-learn's, and is undefined when a class is missing", () => {
  const { scores, labels, macro } = fixture.classes;
  const prepared = macroAurocMetric({ classes: 3 }).prepare({ scores, labels });
  expect(prepared.value()).toBeCloseTo(macro, 12);
  expect(prepared.value(labels.map((label) => (label === 2 ? 0 : 1)))).toBeNull();
  const two = macroAurocMetric({ classes: 3 }).prepare({ scores: [1, 2, 3, 4, 5, 6], labels: [0, 1] });
  expect(two.value()).toBeNull();
  expect(two.reason).toMatch(/class 2 has no row/);
  expect(() => macroAurocMetric({ classes: 2 }).prepare({ scores: [1, 2], labels: [2] })).toThrow(
    /row 0 is class 2/,
  );
});

test("the calibration error equals that of scikit-learn's bins, of equal width and of equal mass", () => {
  const { labels, probabilities, errors } = fixture.calibration.error;
  for (const binning of ["width", "mass"] as const) {
    const metric = calibrationErrorMetric({ bins: 5, binning });
    expect(metric.prepare({ scores: probabilities, labels }).value()).toBeCloseTo(errors[binning], 12);
  }
});

test("each fold has its own threshold; a score on it is negative", () => {
  const strata = [0, 0, 1, 1];
  const given = { scores: [1, 0, 11, 10], labels: [1, 0, 1, 0], strata };
  expect(
    accuracyMetric({ threshold: [0, 10] })
      .prepare(given)
      .value(),
  ).toBe(1);
  expect(accuracyMetric({ threshold: 0 }).prepare(given).value()).toBe(0.75);
  expect(falsePositiveRateMetric({ threshold: 0 }).prepare(given).value()).toBe(0.5);
  expect(() => accuracyMetric({ threshold: [0] }).prepare(given)).toThrow(
    /threshold of stratum 1 is undefined/,
  );
});

test("P5: what is undefined is null with its reason, never NaN", () => {
  const constant = { scores: [1, 2], labels: [1, 1] };
  const cases: [Metric, RegExp][] = [
    [aurocMetric, /2 positive and 0 negative/],
    [balancedAccuracyMetric({ threshold: 0 }), /2 positive and 0 negative/],
    [falsePositiveRateMetric({ threshold: 0 }), /0 negative/],
    [rSquaredMetric, /labels that differ/],
    [spearmanMetric, /differ/],
  ];
  for (const [metric, reason] of cases) {
    const prepared = metric.prepare(constant);
    expect(prepared.value()).toBeNull();
    expect(prepared.reason).toMatch(reason);
  }
  for (const metric of [
    brierMetric,
    logLossMetric,
    accuracyMetric({ threshold: 0 }),
    calibrationErrorMetric(),
  ]) {
    expect(metric.prepare({ scores: [], labels: [] }).value()).toBeNull();
  }
  const strata = { scores: [1, 2], labels: [1, 0], strata: [0, 1] };
  expect(aurocMetric.prepare(strata)).toMatchObject({ reason: /no stratum/ });
  // A draw of equal labels, which rounding must not turn into a spread.
  expect(rSquaredMetric.prepare({ scores: [1, 2, 3], labels: [0.1, 0.1, 0.7] }).value([3, 3, 0])).toBeNull();
});

test("P8: a wrong certainty costs 36 nats, not infinity", () => {
  expect(logLossMetric.prepare({ scores: [0], labels: [1] }).value()).toBeCloseTo(52 * Math.LN2, 9);
  expect(logLossMetric.prepare({ scores: [1], labels: [0] }).value()).toBeCloseTo(52 * Math.LN2, 9);
});

test("scores that are no probabilities are refused by row", () => {
  expect(() => brierMetric.prepare({ scores: [0.5, 1.5], labels: [0, 1] })).toThrow(/row 1 is 1.5/);
  expect(() => logLossMetric.prepare({ scores: [NaN], labels: [0] })).toThrow(/row 0 is NaN/);
});

test("weights of groups are the rows of the group, repeated", () => {
  const random = createRandom(3, "weights");
  const draw = Array.from({ length: 30 }, () => random.below(3));
  const repeated = labels.flatMap((_, row) => Array.from({ length: draw[unit[row]!]! }, () => row));
  const pick = (values: number[]) => repeated.map((row) => values[row]!);
  for (const [metric, scores] of [...likeSklearn, [spearmanMetric, rows.scores] as const]) {
    const weighted = metric.prepare({ scores, labels, unit }).value(draw);
    const plain = metric.prepare({ scores: pick(scores), labels: pick(labels) }).value();
    expect(weighted).toBeCloseTo(plain!, 12);
  }
});
