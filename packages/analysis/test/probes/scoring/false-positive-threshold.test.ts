import fc from "fast-check";
import { expect, test } from "vitest";
import { thresholdAtFalsePositiveRate } from "../../../src/probes/scoring/false-positive-threshold.ts";

test("flags at most the share asked for, and as much as that allows", () => {
  const scores = Array.from({ length: 200 }, (_, i) => i);
  expect(thresholdAtFalsePositiveRate(scores, { rate: 0.01 })).toEqual({
    value: 197,
    targetRate: 0.01,
    achievedRate: 0.01,
    n: 200,
    falsePositives: 2,
    pool: null,
  });
  // Rounding of 0.07 · 100.
  expect(thresholdAtFalsePositiveRate(scores.slice(0, 100), { rate: 0.07 }).falsePositives).toBe(7);
});

test("ties only make it stricter", () => {
  const scores = [...new Array<number>(90).fill(0), ...new Array<number>(10).fill(1)];
  expect(thresholdAtFalsePositiveRate(scores, { rate: 0.05 })).toMatchObject({ value: 1, falsePositives: 0 });
  expect(thresholdAtFalsePositiveRate(scores, { rate: 0.1 })).toMatchObject({ value: 0, falsePositives: 10 });
});

test("never more than the rate, whatever the scores and their order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 20, maxLength: 60 }),
      fc.double({ min: 0.05, max: 0.9, noNaN: true }),
      (scores, rate) => {
        const threshold = thresholdAtFalsePositiveRate(scores, { rate });
        const above = scores.filter((score) => score > threshold.value).length;
        expect(above).toBe(threshold.falsePositives);
        expect(above / scores.length).toBeLessThanOrEqual(rate + 1e-9);
        expect(thresholdAtFalsePositiveRate([...scores].reverse(), { rate })).toEqual(threshold);
      },
    ),
  );
});

test("a rate that so few scores cannot show, and scores that are not finite, are refused", () => {
  const scores = Array.from({ length: 99 }, (_, i) => i);
  expect(() => thresholdAtFalsePositiveRate(scores, { rate: 0.01 })).toThrow(/at least 100/);
  expect(() => thresholdAtFalsePositiveRate([1, NaN], { rate: 0.5 })).toThrow(/Control score 1 is NaN/);
  for (const rate of [0, 1, NaN])
    expect(() => thresholdAtFalsePositiveRate(scores, { rate })).toThrow(/rate/);
  expect(() => thresholdAtFalsePositiveRate(scores, undefined as never)).toThrow(/options/);
});

test("a rate next to 1 leaves a threshold all the same, and what is no list is refused", () => {
  expect(thresholdAtFalsePositiveRate([1, 2, 3, 4, 5], { rate: 1 - 1e-12 })).toMatchObject({
    value: 1,
    achievedRate: 0.8,
  });
  expect(() => thresholdAtFalsePositiveRate([1], { rate: 1 - 1e-10 })).toThrow(
    /1 control scores cannot show .* at least 2/,
  );
  for (const given of [
    new Set([1, 2, 3]),
    { scores: [1, 2] },
    null,
    "12",
    new DataView(new ArrayBuffer(8)),
  ]) {
    expect(() => thresholdAtFalsePositiveRate(given as never, { rate: 0.5 })).toThrow(
      /controlScores.*a list of numbers/s,
    );
  }
});
