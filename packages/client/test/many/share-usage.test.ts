import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shareOut } from "../../src/many/share-out.ts";
import { shareUsage } from "../../src/many/share-usage.ts";
import type { Choice } from "../../src/responses/completion.ts";

it("shareOut adds up, and each share is next to its quota", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 1e6 }),
      fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 50 }),
      (total, weights) => {
        const shares = shareOut(total, weights);
        expect(shares.reduce((a, b) => a + b, 0)).toBe(total);
        const sum = weights.reduce((a, b) => a + b, 0);
        shares.forEach((share, i) => {
          const quota = sum === 0 ? total / weights.length : (total * (weights[i] ?? 0)) / sum;
          expect(Math.abs(share - quota)).toBeLessThan(1);
        });
      },
    ),
  );
});

describe("shareUsage", () => {
  const usage = (completion: number, prompt = 10) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  });
  const choice = (text: string, finish: string, extra: object = {}): Choice => ({
    ...{ index: 0, text, finish_reason: finish },
    ...extra,
  });
  const request = { model: "m", prompt: "abcd", max_tokens: 8 };
  const counts = (shares: ReturnType<typeof shareUsage>) =>
    shares.map((share) => [share.usage.completion_tokens, share.exact]);

  it("is exact where the tokens of the choices are known, or of all but one request", () => {
    const known = [
      { request, choices: [choice("x", "length")] },
      { request, choices: [choice("y", "stop", { token_ids: [1, 2, 3] })] },
      {
        request,
        choices: [choice("z", "stop", { logprobs: { tokens: ["a", "b"], token_logprobs: [-1, -1] } })],
      },
    ];
    expect(counts(shareUsage(usage(13), known))).toEqual([
      [8, true],
      [3, true],
      [2, true],
    ]);
    const open = [...known, { request, choices: [choice("anything", "stop"), choice("else", "stop")] }];
    expect(counts(shareUsage(usage(20), open)).at(-1)).toEqual([7, true]);
  });

  it("is an estimate by length of text where two are not known, and adds up", () => {
    const parts = [
      { request, choices: [choice("x".repeat(9), "stop")] },
      { request, choices: [choice("x".repeat(29), "stop")] },
      { request, choices: [choice("x", "length")] },
    ];
    expect(counts(shareUsage(usage(16), parts))).toEqual([
      [2, false],
      [6, false],
      [8, true],
    ]);
    const echoed = { ...request, echo: true };
    const withEcho = choice("abcdx", "stop", { logprobs: { tokens: ["a", "b"], token_logprobs: [-1, -1] } });
    const shares = shareUsage(usage(5), [
      { request: echoed, choices: [withEcho] },
      { request: echoed, choices: [withEcho] },
    ]);
    expect(shares.map(({ exact }) => exact)).toEqual([false, false]);
    expect(shares.reduce((sum, share) => sum + share.usage.completion_tokens, 0)).toBe(5);
  });

  it("does not call exact what the server counted otherwise", () => {
    const parts = [
      { request, choices: [choice("x", "length")] },
      { request, choices: [choice("x", "length")] },
    ];
    expect(counts(shareUsage(usage(14), parts))).toEqual([
      [7, false],
      [7, false],
    ]);
  });

  it("shares prompt tokens out as they were counted", () => {
    const ids = (length: number) => ({ ...request, prompt: Array<number>(length).fill(1) });
    const parts = [ids(3), ids(7)].map((one) => ({ request: one, choices: [choice("x", "length")] }));
    expect(shareUsage(usage(16), parts).map((share) => share.usage)).toEqual([
      { prompt_tokens: 3, completion_tokens: 8, total_tokens: 11 },
      { prompt_tokens: 7, completion_tokens: 8, total_tokens: 15 },
    ]);
  });
});
