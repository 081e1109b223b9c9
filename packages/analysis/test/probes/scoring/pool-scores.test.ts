import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { poolScores } from "../../../src/probes/scoring/pool-scores.ts";
import type { ScorePool } from "../../../src/results/score-pool.ts";

const scores = [1, -2, 4, 0];
const pools: ScorePool[] = [
  "mean",
  "max",
  "last",
  { kind: "softmax", temperature: 0.5 },
  { kind: "ema", decay: 0.9 },
  { kind: "ema", decay: 0.5, take: "max" },
];

test("mean, largest and last", () => {
  expect(poolScores(scores, "mean")).toBe(0.75);
  expect(poolScores(scores, "max")).toBe(4);
  expect(poolScores(scores, "last")).toBe(0);
});

test("softmax weighs by exp(score / temperature), and does not overflow", () => {
  const temperature = 2;
  const weights = scores.map((score) => Math.exp(score / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const expected = scores.reduce((sum, score, i) => sum + (score * weights[i]!) / total, 0);
  expect(poolScores(scores, { kind: "softmax", temperature })).toBeCloseTo(expected, 12);
  expect(poolScores([1e6, -1e6], { kind: "softmax", temperature: 1 })).toBe(1e6);
  expect(poolScores(scores, { kind: "softmax", temperature: 1e9 })).toBeCloseTo(0.75, 6);
});

test("the moving average starts at the first score; its last or its largest", () => {
  // 1, −0.5, 1.75, 0.875
  expect(poolScores(scores, { kind: "ema", decay: 0.5 })).toBe(0.875);
  expect(poolScores(scores, { kind: "ema", decay: 0.5, take: "max" })).toBe(1.75);
  expect(poolScores(scores, { kind: "ema", decay: 0 })).toBe(0);
});

test("every pool of equal scores is that score, and lies between the least and the largest", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 20 }),
      fc.constantFrom(...pools),
      (values, pool) => {
        expect(
          poolScores(
            values.map(() => values[0]!),
            pool,
          ),
        ).toBeCloseTo(values[0]!, 9);
        const pooled = poolScores(values, pool);
        expect(pooled).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
        expect(pooled).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
      },
    ),
  );
});

describe("refuses", () => {
  test("no score, one that is not finite, and a pool that is not known", () => {
    expect(() => poolScores([], "mean")).toThrow(/no token score/);
    expect(() => poolScores([1, NaN], "max")).toThrow(/score 1 is NaN/);
    expect(() => poolScores(scores, "median" as never)).toThrow(/pool/);
    expect(() => poolScores(scores, { kind: "softmax", temperature: 0 })).toThrow(/pool/);
    expect(() => poolScores(scores, { kind: "ema", decay: 1 })).toThrow(/pool/);
  });
});
