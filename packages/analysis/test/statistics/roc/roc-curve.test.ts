import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rocCurveSchema, type RocCurve } from "../../../src/results/roc-curve.ts";
import { estimateMetric } from "../../../src/statistics/metrics/estimate-metric.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { rocCurve } from "../../../src/statistics/roc/roc-curve.ts";
import { rocRecallMetric } from "../../../src/statistics/roc/roc-recall.ts";
import { fixture } from "../../results/views-fixture.ts";

const { rows, corners, rates, measured } = fixture.roc;
const own = { scores: rows.scores, labels: rows.labels, groups: rows.group };
const folds = { scores: rows.shifted, labels: rows.labels, groups: rows.group, strata: rows.strata };
const quick = { draws: 20 };

function area({ points }: RocCurve): number {
  return points.slice(1).reduce((sum, { falsePositiveRate, recall }, i) => {
    const before = points[i]!;
    return sum + ((falsePositiveRate - before.falsePositiveRate) * (recall + before.recall)) / 2;
  }, 0);
}

describe("a ROC curve", () => {
  test("has scikit-learn's corners and thresholds, ties in one step, and none on a line", () => {
    const curve = rocCurve(own, quick);
    const [alarms, hits] = corners.at(-1)!;
    expect(curve.points).toEqual(
      corners.map(([fp, tp, threshold]) => ({
        falsePositiveRate: fp / alarms,
        recall: tp / hits,
        threshold,
      })),
    );
    expect(curve.auroc.value).toBeCloseTo(fixture.roc.auroc, 12);
    expect(area(curve)).toBeCloseTo(fixture.roc.auroc, 12);
    expect(curve).toMatchObject({ positives: hits, n: alarms + hits, groups: 40, draws: 20, seed: 0 });
    expect(rocCurveSchema.parse(JSON.parse(JSON.stringify(curve)))).toEqual(curve);
  });

  test("has scikit-learn's heights at every rate, on all groups and on redrawn ones, of one scale and of folds", () => {
    for (const { draw, heights, averaged } of measured) {
      rates.forEach((rate, i) => {
        const metric = rocRecallMetric({ rate });
        const one = metric.prepare({ ...own, unit: rows.group }).value(draw);
        const average = metric.prepare({ ...folds, unit: rows.group }).value(draw);
        expect(one).toBeCloseTo(heights[i]!, 12);
        expect(average).toBeCloseTo(averaged[i]!, 12);
      });
    }
  });

  test("of folds is the average of theirs: shifting a fold's scores changes nothing", () => {
    const curve = rocCurve(folds, quick);
    expect(curve.strata).toBe(3);
    expect(curve.auroc.value).toBeCloseTo(fixture.roc.stratified, 12);
    expect(area(curve)).toBeCloseTo(fixture.roc.stratified, 9);
    expect(curve.points.every(({ threshold }) => threshold === null)).toBe(true);
    const plain = rocCurve({ ...folds, scores: rows.scores }, quick);
    expect(plain.points).toEqual(curve.points);
    expect(plain.band).toEqual(curve.band);
    const pooled = rocCurve({ scores: rows.shifted, labels: rows.labels, groups: rows.group }, quick);
    expect(pooled.auroc.value!).toBeLessThan(curve.auroc.value! - 0.05);
    expect(rocCurveSchema.parse(JSON.parse(JSON.stringify(curve)))).toEqual(curve);
  });

  test("has the intervals of its heights, one by one", () => {
    for (const scored of [own, folds]) {
      const { band } = rocCurve(scored, { draws: 60, steps: 5, seed: 4 });
      expect(
        band.map(({ falsePositiveRate: rate }) =>
          estimateMetric(rocRecallMetric({ rate }), scored, { draws: 60, seed: 4 }),
        ),
      ).toEqual(band.map(({ recall }) => recall));
    }
  });

  test("of many rows keeps some corners, near which every other one lies", () => {
    const random = createRandom(2, "many");
    const labels = Array.from({ length: 3000 }, () => random.below(2));
    const many = {
      labels,
      groups: [...labels.keys()],
      scores: labels.map((label) => label + random.gaussian()),
    };
    const quickest = { draws: 1, steps: 1 };
    const [whole, some] = [
      rocCurve(many, { ...quickest, points: 5000 }),
      rocCurve(many, { ...quickest, points: 100 }),
    ];
    expect(whole.points.length).toBeGreaterThan(1000);
    expect(some.points.length).toBeLessThanOrEqual(102);
    expect(whole.points).toEqual(expect.arrayContaining(some.points));
    expect([some.points[0], some.points.at(-1)]).toEqual([whole.points[0], whole.points.at(-1)]);
    for (const { falsePositiveRate, recall } of whole.points) {
      const near = some.points.some(
        (point) =>
          Math.abs(point.falsePositiveRate - falsePositiveRate) + Math.abs(point.recall - recall) <=
          2 / 99 + 1e-9,
      );
      expect(near).toBe(true);
    }
    expect(Math.abs(area(some) - area(whole))).toBeLessThan(0.01);
  });

  test("without an error says that its interval is no certainty, and so with few groups", () => {
    const perfect = rocCurve({ scores: [1, 2, 3, 4], labels: [0, 0, 1, 1], groups: [0, 1, 2, 3] }, quick);
    expect(perfect.auroc).toMatchObject({ value: 1 });
    expect(perfect.notes).toEqual([
      expect.stringMatching(/^Only 4 groups/),
      expect.stringMatching(/it is no certainty/),
    ]);
    expect(rocCurve(own, quick).notes).toEqual([]);
  });

  test("has marks at thresholds of its own negatives, which flag at most the rate", () => {
    const [mark, other] = rocCurve(own, { ...quick, rates: [0.05, 0.2] }).marks;
    expect(mark!.falsePositiveRate.value!).toBeLessThanOrEqual(0.05);
    expect(other!.falsePositiveRate.value!).toBeLessThanOrEqual(0.2);
    expect(other!.recall.value!).toBeGreaterThan(mark!.recall.value!);
    const { marks } = rocCurve(folds, { ...quick, rates: [0.2] });
    expect(marks[0]!.threshold).toHaveLength(3);
    expect(marks[0]!.falsePositiveRate.value!).toBeLessThanOrEqual(0.2);
  });

  test("has a band that holds it, of whole groups", () => {
    const curve = rocCurve(own, { draws: 400, steps: 4 });
    expect(curve.band.map(({ falsePositiveRate }) => falsePositiveRate)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    for (const { recall } of curve.band) {
      expect(recall.low!).toBeLessThanOrEqual(recall.value!);
      expect(recall.high!).toBeGreaterThanOrEqual(recall.value!);
      expect(recall.groups).toBe(40);
    }
    expect(curve.band[1]!.recall.high! - curve.band[1]!.recall.low!).toBeGreaterThan(0.1);
    expect(curve.band[4]!.recall).toMatchObject({ value: 1, low: 1, high: 1 });
    const alone = rocCurve({ ...own, groups: rows.scores.map(() => "one") }, quick);
    expect(alone.band[1]!.recall).toMatchObject({
      low: null,
      high: null,
      reason: /at least 2 groups/ as never,
    });
  });

  test("rises from (0, 0) to (1, 1) with the AUROC below it, whatever the rows", () => {
    const row = fc.record({ score: fc.integer({ min: -3, max: 3 }), label: fc.boolean(), fold: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 25 }), (given) => {
        const all = [
          ...given,
          ...[0, 1, 2].flatMap((fold) => [true, false].map((label) => ({ score: 0, label, fold }))),
        ];
        const scores = all.map(({ score }) => score);
        const labels = all.map(({ label }) => label);
        const groups = [...all.keys()];
        const curve = rocCurve({ scores, labels, groups }, { draws: 1, steps: 1 });
        expect(area(curve)).toBeCloseTo(auroc(scores, labels).value!, 10);
        const strata = all.map(({ fold }) => fold);
        const average = rocCurve({ scores, labels, groups, strata }, { draws: 1, steps: 1 });
        expect(area(average)).toBeCloseTo(average.auroc.value!, 9);
        for (const { points } of [curve, average]) {
          expect(points[0]).toMatchObject({ falsePositiveRate: 0, recall: 0 });
          expect(points.at(-1)).toMatchObject({ falsePositiveRate: 1, recall: 1 });
          points.slice(1).forEach(({ falsePositiveRate, recall }, i) => {
            expect(falsePositiveRate).toBeGreaterThanOrEqual(points[i]!.falsePositiveRate);
            expect(recall).toBeGreaterThanOrEqual(points[i]!.recall);
          });
        }
      }),
      { numRuns: 100 },
    );
  });

  test("rows of one class, scores that are not finite and options that are not known are refused", () => {
    expect(() => rocCurve({ ...own, labels: rows.labels.map(() => 1) })).toThrow(/0 negative/);
    const strata = rows.labels.map((label) => label);
    expect(() => rocCurve({ ...own, strata })).toThrow(/in every stratum: there are 0 positive/);
    expect(() => rocCurve({ ...own, scores: rows.scores.map(() => NaN) })).toThrow(/finite scores/);
    expect(() => rocCurve({ ...own, groups: [1] })).toThrow(/groups/);
    expect(() => rocCurve(own, { rates: [0] })).toThrow(/rates\[0\]/);
    expect(() => rocCurve(own, { bands: 3 } as never)).toThrow(/the field bands/);
  });
});
