import { expect, test } from "vitest";
import { perplexity, textLogProbability } from "../../../src/steering/neutral/perplexity.ts";

type Completion = Parameters<typeof textLogProbability>[0];
const answer = (prompt_logprobs: unknown) =>
  ({ model: "m", choices: [{ index: 0, text: "", prompt_logprobs }] }) as unknown as Completion;

test("sums the prompt's own tokens, the first aside", () => {
  const entries = [null, { "7": { logprob: -1 } }, { "3": { logprob: -0.5 } }];
  expect(textLogProbability(answer(entries))).toEqual({ sum: -1.5, tokens: 2 });
});

test("perplexity weighs tokens, not texts, and is null without any", () => {
  expect(
    perplexity([
      { sum: -1.5, tokens: 2 },
      { sum: -4.5, tokens: 1 },
    ]),
  ).toBeCloseTo(Math.exp(2), 12);
  expect(perplexity([])).toBeNull();
  expect(Number.isFinite(perplexity([{ sum: -9999, tokens: 1 }]))).toBe(true);
});

test("answers that hold no or several log probabilities a token are refused", () => {
  expect(() => textLogProbability(answer(undefined))).toThrow(/no prompt_logprobs/);
  const two = { "1": { logprob: -1 }, "2": { logprob: -2 } };
  expect(() => textLogProbability(answer([null, two]))).toThrow(/position 1 has 2/);
});

test("what are no texts is refused by name", () => {
  expect(() => perplexity(undefined as never)).toThrow(/texts: nothing; allowed: a list/);
  expect(() => perplexity([{ sum: NaN, tokens: 1 }])).toThrow(/texts\[0\]\.sum: NaN/);
});
