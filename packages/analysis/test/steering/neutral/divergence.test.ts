import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entropy, klDivergence } from "../../../src/steering/neutral/divergence.ts";
import {
  likeliestTokens,
  logSumExp,
  wholeVocabulary,
} from "../../../src/steering/neutral/token-distribution.ts";
import { steeringFixture } from "../steering-fixture.ts";

const entriesOf = (logits: readonly number[]) =>
  logits.map((logit, token) => [token, logit - logSumExp(logits)] as const);
const whole = (logits: readonly number[]) => wholeVocabulary(entriesOf(logits))!;
const top = (logits: readonly number[], count: number) =>
  likeliestTokens(
    entriesOf(logits)
      .sort((a, b) => b[1] - a[1])
      .slice(0, count),
    count,
  );

/** Log probabilities are kept as float32. */
const close = (found: number, expected: number) =>
  expect(Math.abs(found - expected)).toBeLessThan(1e-5 * Math.max(1, Math.abs(expected)));

describe("as SciPy computes them", () => {
  test.each(steeringFixture.distributions.map((one) => [one.logits[0].length, one] as const))(
    "of %i tokens",
    (_, { logits: [p, q], top: count, ...expected }) => {
      expect(Math.abs(logSumExp(p) - expected.logSumExp)).toBeLessThan(1e-12);
      close(klDivergence(whole(p), whole(q)), expected.kl);
      close(klDivergence(whole(q), whole(p)), expected.reverseKl);
      close(entropy(whole(p)), expected.entropy);
      close(klDivergence(top(p, count), top(q, count)), expected.topKl);
      close(klDivergence(top(q, count), top(p, count)), expected.topReverseKl);
      close(entropy(top(p, count)), expected.topEntropy);
    },
  );
});

const logits = fc.array(fc.double({ min: -12, max: 12, noNaN: true }), { minLength: 8, maxLength: 40 });

test("the likeliest tokens alone give a lower bound, and 0 of a distribution from itself", () => {
  fc.assert(
    fc.property(logits, fc.integer({ min: 1, max: 7 }), fc.integer(), (p, count, turn) => {
      const q = p.map((_, i) => p[(i + 1 + (Math.abs(turn) % p.length)) % p.length]!);
      const bound = klDivergence(top(p, count), top(q, count));
      expect(bound).toBeGreaterThanOrEqual(0);
      const full = klDivergence(whole(p), whole(q));
      // Log probabilities are float32: their rounding grows with them.
      expect(bound).toBeLessThanOrEqual(full + 1e-5 * (1 + full));
      expect(entropy(top(p, count))).toBeLessThanOrEqual(entropy(whole(p)) + 1e-4);
      expect(klDivergence(whole(p), whole(p))).toBe(0);
      expect(klDivergence(top(p, count), top(p, count))).toBe(0);
    }),
  );
});

test("is a lower bound too where the likeliest tokens of either are all that it has, and none of the other's", () => {
  const rare = (count: number) => new Array<number>(count).fill(-24);
  for (let step = 0; step < 2000; step++) {
    const p = [0, step / 1000, ...rare(7)];
    const q = [...rare(2), 0, step / 1000, ...rare(5)];
    const full = klDivergence(whole(p), whole(q));
    expect(klDivergence(top(p, 2), top(q, 2))).toBeLessThanOrEqual(full);
  }
});

test("a token that is named without being among the likeliest is no ceiling for the others", () => {
  const q = [5, 4, 3, 2, -9].map((logit) => logit);
  const named = entriesOf(q).filter(([token]) => token !== 2 && token !== 3);
  expect(likeliestTokens(named, 2).ceiling).toBeCloseTo(named[1]![1], 12);
});

test("a part of the vocabulary is never taken for all of it", () => {
  const entries = entriesOf([1, 2, 3, 4]);
  expect(wholeVocabulary(entries)).not.toBeNull();
  expect(wholeVocabulary(entries.slice(0, 3))).toBeNull();
  expect(wholeVocabulary(entries.slice(1))).toBeNull();
});

test("logits far from 0 neither overflow nor vanish", () => {
  expect(logSumExp([1000, 1000])).toBeCloseTo(1000 + Math.LN2, 9);
  expect(logSumExp([-1000, -1000])).toBeCloseTo(-1000 + Math.LN2, 9);
  expect(logSumExp([])).toBe(-Infinity);
});
