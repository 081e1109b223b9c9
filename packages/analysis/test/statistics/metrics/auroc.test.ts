import fc from "fast-check";
import { expect, test } from "vitest";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { rankScores } from "../../../src/statistics/metrics/ranked-scores.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { sklearnFixture } from "../../probes/sklearn-fixture.ts";

/** The definition: every pair of a positive and a negative row, a tie counting half. */
function byPairs(scores: number[], labels: boolean[]): number | null {
  let [ordered, pairs] = [0, 0];
  scores.forEach((positive, i) =>
    scores.forEach((negative, j) => {
      if (!labels[i] || labels[j]) return;
      pairs += 1;
      ordered += positive > negative ? 1 : positive === negative ? 0.5 : 0;
    }),
  );
  return pairs ? ordered / pairs : null;
}

const rows = fc.array(fc.record({ score: fc.integer({ min: -4, max: 4 }), label: fc.boolean() }), {
  maxLength: 40,
});

test("equals the count of pairs, whatever the ties and the order of rows", () => {
  fc.assert(
    fc.property(rows, (given) => {
      const scores = given.map((row) => row.score / 3);
      const labels = given.map((row) => row.label);
      const expected = byPairs(scores, labels);
      const found = auroc(scores, labels).value;
      if (expected === null) expect(found).toBeNull();
      else expect(found).toBeCloseTo(expected, 12);
    }),
  );
});

test("weights count a row that many times", () => {
  fc.assert(
    fc.property(
      rows,
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 40, maxLength: 40 }),
      (given, weights) => {
        const repeated = given.flatMap((row, i) => Array.from({ length: weights[i]! }, () => row));
        const ranked = rankScores({ scores: given.map((r) => r.score), labels: given.map((r) => r.label) });
        const expected = byPairs(
          repeated.map((r) => r.score),
          repeated.map((r) => r.label),
        );
        const found = ranked.auroc(weights);
        if (expected === null) expect(found).toBeNull();
        else expect(found).toBeCloseTo(expected, 12);
      },
    ),
  );
});

test("P18: the order of rows, and what keeps the order of scores, change nothing; swapped classes give the complement", () => {
  fc.assert(
    fc.property(rows, fc.nat(1000), (given, seed) => {
      const scores = given.map((row) => row.score / 3);
      const labels = given.map((row) => row.label);
      const { value } = auroc(scores, labels);
      const order = createRandom(seed, "order").shuffle([...given.keys()]);
      expect(
        auroc(
          order.map((row) => scores[row]!),
          order.map((row) => labels[row]!),
        ).value,
      ).toBe(value);
      expect(
        auroc(
          scores.map((score) => Math.exp(score) - 7),
          labels,
        ).value,
      ).toBe(value);
      const swapped = auroc(
        scores,
        labels.map((label) => !label),
      ).value;
      if (value === null) expect(swapped).toBeNull();
      else expect(swapped).toBeCloseTo(1 - value, 14);
    }),
  );
});

test("only rows of one stratum are compared", () => {
  const ranked = rankScores({ scores: [0, 1, 100, 101], labels: [0, 1, 0, 1], strata: [0, 0, 1, 1] });
  expect(ranked.auroc()).toBe(1);
  expect(auroc([0, 1, 100, 101], [0, 1, 0, 1]).value).toBe(0.75);
});

test("P18: all-equal scores give exactly a half", () => {
  expect(auroc(new Array(7).fill(0.1), [1, 0, 0, 1, 0, 1, 1]).value).toBe(0.5);
});

test("P18: equals scikit-learn on quantised scores", () => {
  const { scores, labels, auroc: expected } = sklearnFixture.tiedScores;
  expect(auroc(scores, labels).value).toBeCloseTo(expected, 12);
});

test("P5: one class is undefined with its reason, never NaN", () => {
  expect(auroc([1, 2], [1, 1])).toEqual({
    value: null,
    reason: "AUROC needs rows of both classes: there are 2 positive and 0 negative",
  });
});

test("a score that is not finite is refused by row", () => {
  expect(() => auroc([1, NaN], [1, 0])).toThrow(/score of row 1 is NaN/);
});

test("labels and lengths that do not fit are refused by row", () => {
  expect(() => auroc([1, 2], [1, NaN])).toThrow(/label of row 1 is NaN/);
  expect(() => auroc([1, 2], [1, 2])).toThrow(/label of row 1 is 2/);
  expect(() => auroc([1, 2], [1])).toThrow(/2 scores and 1 labels/);
  expect(() => auroc(undefined as never, [1])).toThrow(/scores/);
  const ranked = rankScores({ scores: [1, 2], labels: [0, 1] });
  expect(() => ranked.auroc([1])).toThrow(/1 weights for 2 units/);
  expect(() => ranked.auroc([1, NaN])).toThrow(/weight of unit 1 is NaN/);
});
