import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Choice, compareChoices } from "../../src/index.ts";
import { spreadOf } from "../../src/repeat/spread.ts";

interface Case {
  name: string;
  /** [runs][positions] */
  logprobs: number[][];
  /** [runs][positions][2] */
  tops: number[][][];
  parts: number | null;
  min: number[];
  max: number[];
  mean: number[];
  standardDeviation: number[];
  noise: number | null;
  margins: number[];
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../fixtures/repeat-spreads.json", import.meta.url), "utf8"),
) as { cases: Case[] };

/** The runs of a case; from where they part the even ones have other tokens than the odd ones. */
function runsOf({ logprobs, tops, parts }: Case): Choice[] {
  return logprobs.map((own, run) => {
    const tokens = own.map((_, i) => (parts !== null && i >= parts ? ` ${run % 2}-${i}` : ` ${i}`));
    const top_logprobs = tokens.map((token, i) => ({
      [token]: tops[run]![i]![0]!,
      other: tops[run]![i]![1]!,
    }));
    return { index: 0, text: tokens.join(""), logprobs: { tokens, token_logprobs: own, top_logprobs } };
  });
}

/** Relative error; sums run in another order than NumPy's. */
const near = (value: number | undefined, expected: number, tolerance = 1e-12) =>
  expect(Math.abs((value ?? NaN) - expected)).toBeLessThanOrEqual(
    tolerance * Math.max(1, Math.abs(expected)),
  );

describe("spreads are NumPy's", () => {
  it.each(cases)("$name", (one) => {
    const { positions, noise, divergence } = compareChoices(runsOf(one));
    expect(positions).toHaveLength(one.min.length);
    for (const [i, { logprob, margin, position }] of positions.entries()) {
      expect(position).toBe(i);
      expect(logprob?.count).toBe(one.logprobs.length);
      expect([logprob?.min, logprob?.max]).toEqual([one.min[i], one.max[i]]);
      near(logprob?.mean, one.mean[i]!);
      // Differences of values near 10 000 have that size's rounding.
      near(logprob?.standardDeviation, one.standardDeviation[i]!, 1e-11);
      expect(margin).toBe(one.margins[i]);
    }
    expect(noise).toBe(one.noise ?? undefined);
    expect(divergence?.position).toBe(one.parts ?? undefined);
    if (one.parts !== null) {
      expect(divergence?.margin).toBe(one.margins[one.parts]);
      expect(divergence?.tokens.map(({ count }) => count)).toEqual([
        Math.ceil(one.logprobs.length / 2),
        Math.floor(one.logprobs.length / 2),
      ]);
    }
  });
});

describe("the spread", () => {
  it("of one value has no deviation, of none is undefined, of equal ones is exactly 0", () => {
    expect(spreadOf([-0.1])).toEqual({
      count: 1,
      min: -0.1,
      max: -0.1,
      mean: -0.1,
      standardDeviation: undefined,
    });
    expect(spreadOf([])).toBeUndefined();
    const value = -0.26597607135772705;
    expect(spreadOf(Array<number>(7).fill(value))).toEqual({
      count: 7,
      min: value,
      max: value,
      mean: value,
      standardDeviation: 0,
    });
  });

  it("does not depend on the order, and lies where it must (property)", () => {
    const values = fc.array(fc.double({ min: -9999, max: 0, noNaN: true }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(values, (given) => {
        const spread = spreadOf(given)!;
        const reversed = spreadOf([...given].reverse())!;
        expect(spread.min).toBe(Math.min(...given));
        expect(spread.max).toBe(Math.max(...given));
        near(spread.mean, reversed.mean, 1e-9);
        const range = spread.max - spread.min;
        expect(spread.mean).toBeGreaterThanOrEqual(spread.min - 1e-9);
        expect(spread.standardDeviation).toBeLessThanOrEqual(range + 1e-9);
      }),
    );
  });
});

describe("choices", () => {
  const run = (text: string, tokens: string[], more: object = {}): Choice => ({
    index: 3,
    text,
    logprobs: { tokens, token_logprobs: tokens.map(() => -1) },
    ...more,
  });

  it("a run that ends before the others parts there; texts are told by frequency", () => {
    const read = compareChoices([run("a", ["a"]), run("ab", ["a", "b"]), run("ab", ["a", "b"])]);
    expect(read).toMatchObject({
      index: 3,
      texts: [
        { text: "ab", count: 2 },
        { text: "a", count: 1 },
      ],
      noise: 0,
      divergence: {
        position: 1,
        tokens: [
          { token: "b", count: 2 },
          { token: undefined, count: 1 },
        ],
        margin: undefined,
      },
    });
  });

  it("tokens of one text and different ids part", () => {
    const one = compareChoices([run("a", ["a"], { token_ids: [5] }), run("a", ["a"], { token_ids: [6] })]);
    expect(one.texts).toHaveLength(1);
    expect(one.divergence?.position).toBe(0);
  });

  it("an echo's first token has no spread", () => {
    const echo = run("ab", ["a", "b"], { logprobs: { tokens: ["a", "b"], token_logprobs: [null, -2] } });
    const { positions, noise } = compareChoices([echo, echo]);
    expect(positions.map(({ logprob }) => logprob?.mean)).toEqual([undefined, -2]);
    expect(noise).toBe(0);
  });

  it("without log probabilities only the texts are compared", () => {
    const plain = { index: 0, text: "a" };
    expect(compareChoices([plain, { ...plain, text: "b" }])).toEqual({
      index: 0,
      texts: [
        { text: "a", count: 1 },
        { text: "b", count: 1 },
      ],
      positions: [],
      noise: undefined,
      divergence: undefined,
    });
  });
});
