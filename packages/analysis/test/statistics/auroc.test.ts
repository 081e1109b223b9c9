import fc from "fast-check";
import { expect, test } from "vitest";
import { auroc, rankScores } from "../../src/statistics/auroc.ts";
import { sklearnFixture } from "../probes/sklearn-fixture.ts";

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

test("only rows of one stratum are compared", () => {
  const ranked = rankScores({ scores: [0, 1, 100, 101], labels: [0, 1, 0, 1], strata: [0, 0, 1, 1] });
  expect(ranked.auroc()).toBe(1);
  expect(auroc([0, 1, 100, 101], [0, 1, 0, 1]).value).toBe(0.75);
});

test("all-equal scores give exactly a half", () => {
  expect(auroc(new Array(7).fill(0.1), [1, 0, 0, 1, 0, 1, 1]).value).toBe(0.5);
});

test("equals scikit-learn on quantised scores", () => {
  const { scores, labels, auroc: expected } = sklearnFixture.tiedScores;
  expect(auroc(scores, labels).value).toBeCloseTo(expected, 12);
});

test("one class is undefined with its reason, never NaN", () => {
  expect(auroc([1, 2], [1, 1])).toEqual({
    value: null,
    reason: "AUROC needs rows of both classes: there are 2 positive and 0 negative",
  });
});

test("a score that is not finite is refused by row", () => {
  expect(() => auroc([1, NaN], [1, 0])).toThrow(/score of row 1 is NaN/);
});
