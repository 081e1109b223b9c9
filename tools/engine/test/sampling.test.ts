import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { positionLogprobs } from "../src/logprobs.ts";
import { createRandom, randomSeed } from "../src/random.ts";
import { argmax, sampleToken } from "../src/sampling.ts";

const scores = Float32Array.from([0.5, 2, -1, 2, 0, -30]);
const everything = { temperature: 1, topP: 1, topK: 0, minP: 0 };
const softmax = (values: ArrayLike<number>, temperature = 1) => {
  const weights = Array.from(values, (value) => Math.exp(value / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};
/** Shares of each token over many draws. */
const shares = (options: { temperature?: number; topP?: number }, draws = 40_000) => {
  const random = createRandom(123);
  const counts = Array.from(scores, () => 0);
  for (let i = 0; i < draws; i++) counts[sampleToken(scores, { ...everything, ...options }, random)]!++;
  return counts.map((count) => count / draws);
};

describe("sampling", () => {
  test("temperature 0 takes the likeliest, the first of equals", () => {
    expect(argmax(scores)).toBe(1);
    for (const temperature of [0, 9e-6])
      expect(sampleToken(scores, { ...everything, temperature }, () => 0.999)).toBe(1);
  });

  test.each([0.5, 1, 4])("temperature %d draws from softmax(scores / temperature)", (temperature) => {
    // Five standard errors of a share of 40 000 draws.
    softmax(scores, temperature).forEach((expected, token) => {
      const error = 5 * Math.sqrt((expected * (1 - expected)) / 40_000) + 1e-4;
      expect(Math.abs(shares({ temperature, topP: 1 })[token]! - expected)).toBeLessThan(error);
    });
  });

  test("top_p keeps the smallest set that reaches it, in the proportions of the whole", () => {
    // Probabilities .407, .407, .091, .055, .020: 0.85 needs the third token.
    const found = shares({ temperature: 1, topP: 0.85 });
    const kept = softmax(scores).map((share, token) => ([0, 1, 3].includes(token) ? share : 0));
    const total = kept.reduce((sum, share) => sum + share, 0);
    kept.forEach((share, token) => {
      if (share === 0) expect(found[token]).toBe(0);
      else expect(Math.abs(found[token]! - share / total)).toBeLessThan(0.015);
    });
    expect(shares({ temperature: 1, topP: 0.3 }, 100)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(shares({ temperature: 1, topP: 0.8 }, 1000).map((share) => share > 0)).toEqual([
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  test("the nucleus agrees with sorting everything", () => {
    const draws = fc.tuple(
      // Sixteenths: equal or clearly apart, so that rounding decides no order.
      fc.array(
        fc.integer({ min: -320, max: 320 }).map((value) => value / 16),
        { minLength: 1, maxLength: 60 },
      ),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
    );
    fc.assert(
      fc.property(draws, ([values, topP, uniform]) => {
        const shares = softmax(Float32Array.from(values));
        const order = shares.map((_, token) => token).sort((a, b) => shares[b]! - shares[a]! || a - b);
        let sum = 0;
        const size = order.findIndex((token) => (sum += shares[token]!) >= topP + 1e-9) + 1;
        const token = sampleToken(Float32Array.from(values), { ...everything, topP }, () => uniform);
        expect(order.indexOf(token)).toBeLessThan(size === 0 ? order.length : size);
      }),
    );
  });
});

describe("random streams", () => {
  test("are repeatable, differ between seeds, and spread evenly", () => {
    const first = (seed: number) => Array.from({ length: 4 }, createRandom(seed));
    expect(first(7)).toEqual(first(7));
    const seeds = [0, 1, 2, 3, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1, 2 ** 52];
    expect(new Set(seeds.map((seed) => String(first(seed)))).size).toBe(seeds.length);
    // First draws of neighbouring seeds: mean and variance of uniform numbers, 5 standard errors.
    const draws = Array.from({ length: 10_000 }, (_, seed) => createRandom(seed)());
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.0145);
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(0.004);
    const pairs =
      draws.slice(1).reduce((sum, draw, i) => sum + (draw - 0.5) * (draws[i]! - 0.5), 0) / draws.length;
    expect(Math.abs(pairs)).toBeLessThan(0.0042);
  });

  test("random seeds are safe integers", () => {
    for (let i = 0; i < 100; i++) expect(Number.isSafeInteger(randomSeed()) && randomSeed() >= 0).toBe(true);
  });
});

describe("log probabilities", () => {
  test("are those of softmax, ranks count scores at least as high, top falls", () => {
    const shares = softmax(scores);
    const entry = positionLogprobs(scores, 0, 4);
    expect(Math.abs(entry.logprob - Math.log(shares[0]!))).toBeLessThan(1e-6);
    expect(entry.rank).toBe(3);
    expect(positionLogprobs(scores, 1, 0)).toMatchObject({ rank: 2, top: [] });
    expect(entry.top.map(({ token, rank }) => [token, rank])).toEqual([
      [1, 1],
      [3, 2],
      [0, 3],
      [4, 4],
    ]);
  });

  test("the few likeliest of many are those of sorting everything", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 0, max: 12 }),
        (values, count) => {
          const all = Float32Array.from(values);
          const sorted = values.map((_, token) => token).sort((a, b) => values[b]! - values[a]! || a - b);
          expect(positionLogprobs(all, 0, count).top.map(({ token }) => token)).toEqual(
            sorted.slice(0, count),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
