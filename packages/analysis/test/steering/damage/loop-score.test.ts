import { describe, expect, test } from "vitest";
import { isLoop, loopScore } from "../../../src/steering/damage/loop-score.ts";
import { steeringFixture } from "../steering-fixture.ts";

const words = (text: string) => text.split(" ");
const scoreOf = (name: string) => {
  const { text } = steeringFixture.loops.find((one) => one.name === name)!;
  return loopScore(text, words(text));
};

describe("as Python and zlib count", () => {
  test.each(steeringFixture.loops.map((one) => [one.name, one] as const))("%s", (_, expected) => {
    const found = loopScore(expected.text, words(expected.text));
    for (const name of ["distinct1", "distinct2", "distinct3"] as const) {
      if (expected[name] === null) expect(found[name]).toBeNull();
      else expect(found[name]).toBeCloseTo(expected[name], 12);
    }
    expect(found.longestRepeat).toBe(expected.longestRepeat);
    // Builds of zlib differ by a few bytes.
    const bytes = new TextEncoder().encode(expected.text).length;
    expect(Math.abs(bytes / found.compression! - bytes / expected.compression)).toBeLessThanOrEqual(3);
  });
});

test("S11, S12: a loop that perplexity takes for better text is a loop", () => {
  const { perplexity } = steeringFixture;
  // SmolLM2-135M by transformers: the loop is easier to predict by far.
  expect(perplexity.loop).toBeLessThan(perplexity.plain / 10);
  expect(isLoop(scoreOf("loop"))).toBe(true);
  expect(isLoop(scoreOf("plain"))).toBe(false);
  expect(isLoop(scoreOf("one word"))).toBe(true);
  expect(isLoop(scoreOf("list"))).toBe(false);
});

test("a loop without spaces is one word, and its bytes tell", () => {
  expect(scoreOf("no space").distinct2).toBeNull();
  expect(isLoop(scoreOf("no space"))).toBe(true);
});

test("a text too short for a number has none", () => {
  expect(loopScore("", [])).toEqual({
    tokens: 0,
    distinct1: null,
    distinct2: null,
    distinct3: null,
    compression: null,
    longestRepeat: 0,
  });
  expect(isLoop(loopScore("", []))).toBe(false);
});

test("what is no text is refused by name", () => {
  expect(() => loopScore(undefined as never, [])).toThrow(/text: nothing; allowed: a text/);
  expect(() => loopScore("a", undefined as never)).toThrow(/tokens: nothing; allowed: a list/);
  expect(() => isLoop(undefined as never)).toThrow(/score: nothing/);
});
