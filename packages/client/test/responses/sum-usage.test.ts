import { expect, it } from "vitest";
import { sumUsage } from "../../src/index.ts";

const usage = (prompt_tokens: number, completion_tokens: number, cached?: number | null) => ({
  usage: {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: cached === undefined ? null : { cached_tokens: cached },
  },
});

it("adds up, and says how many answers told nothing", () => {
  expect(sumUsage([usage(4, 2), { usage: null }, usage(3, 5), {}])).toEqual({
    prompt_tokens: 7,
    completion_tokens: 7,
    total_tokens: 14,
    cached_tokens: undefined,
    counted: 2,
    uncounted: 2,
  });
});

it("adds up what was cached, where it is told", () => {
  expect(
    sumUsage([usage(225, 1, 128), usage(225, 1, null), usage(4, 1), usage(225, 1, 128)]).cached_tokens,
  ).toBe(256);
  expect(sumUsage([usage(4, 1, null)]).cached_tokens).toBeUndefined();
});

it("of no answers is nothing", () => {
  expect(sumUsage([])).toMatchObject({ total_tokens: 0, counted: 0, uncounted: 0 });
});
