import type { Known } from "@residua/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  captureLimit,
  CaptureLimitError,
  captureNumbers,
  checkCaptureLimit,
  countedWidth,
  type LimitQuestion,
  tokenBounds,
  wouldFitText,
} from "../../src/limits/capture-limit.ts";

const largest: Known<number> = { value: 16384, source: "default" };
const exactly = (tokens: number) => ({ least: tokens, most: tokens });

function verdict(request: Omit<LimitQuestion, "limit">, limit = captureLimit) {
  try {
    return checkCaptureLimit({ ...request, limit });
  } catch (error) {
    if (error instanceof CaptureLimitError) return error;
    throw error;
  }
}

describe("checkCaptureLimit", () => {
  it.each([
    [8192, 1, 4096],
    [2048, 1, 16384],
    [10922, 1, 3072],
  ])("layers × tokens is at most %i at hidden size %#", (most, _, hidden) => {
    const hiddenSize: Known<number> = { value: hidden, source: "built-in" };
    expect(verdict({ layers: 1, tokens: exactly(most - 1), maxTokens: 1, hiddenSize })).toBe("fits");
    expect(verdict({ layers: 1, tokens: exactly(most), maxTokens: 1, hiddenSize })).toBeInstanceOf(
      CaptureLimitError,
    );
  });

  it("prints the sum and what would fit", () => {
    const error = verdict({
      layers: 3,
      tokens: exactly(682),
      maxTokens: 1,
      hiddenSize: largest,
    }) as CaptureLimitError;
    expect(error.code).toBe("capture_too_large");
    expect(error.message).toBe(
      "3 layers × (682 prompt tokens + 1 max_tokens) × 16384 hidden size = 33570816 numbers, over the 33554432 a capture may have; " +
        "nothing was sent; would fit: 2 of 3 layers at 683 tokens, or 2 requests (split: true), or 682 tokens at 3 layers " +
        "(hidden size 16384 is the server's largest: its catalogue states none for this model)",
    );
    expect(error.wouldFit).toEqual({ layers: 2, tokens: 682, requests: 2 });
    expect(error.data).toMatchObject({ numbers: 33570816, limit: captureLimit, wouldFit: error.wouldFit });
  });

  it("says what would fit without an error, and nothing of what fits", () => {
    const size = { layers: 3, promptTokens: 682, maxTokens: 1, hiddenSize: 16384 };
    expect(wouldFitText(size)).toBe(
      "2 of 3 layers at 683 tokens, or 2 requests (split: true), or 682 tokens at 3 layers",
    );
    expect(wouldFitText({ ...size, layers: 2 })).toBeNull();
    expect(wouldFitText({ ...size, layers: 2 }, 1e6)).toBe("30 tokens at 2 layers");
    expect(() => wouldFitText(size, 0)).toThrow(/wouldFitText: limit 0 given/);
  });

  it("says so where not one layer fits, and proposes fewer tokens where they would", () => {
    const wide: Known<number> = { value: 100, source: "stated" };
    const long = { layers: 2, tokens: exactly(9), maxTokens: 1, hiddenSize: wide };
    const none = verdict(long, 999) as CaptureLimitError;
    expect(none.message).toMatch(/would fit: 4 tokens at 2 layers \(hidden size 100 as stated\)$/);
    expect(none.wouldFit).toEqual({ layers: 0, tokens: 4, requests: undefined });
    expect(verdict(long, 2000)).toBe("fits");
    expect((verdict(long, 1999) as CaptureLimitError).wouldFit).toEqual({
      layers: 1,
      tokens: 9,
      requests: 2,
    });
    expect((verdict(long, 199) as CaptureLimitError).message).toContain("nothing at this size");
  });

  it("counts with the hosted API's width for any model, and elsewhere only with one that is known", () => {
    const observed: Known<number | undefined> = { value: 576, source: "observed" };
    const none: Known<number | undefined> = { value: undefined, source: "unknown" };
    expect(countedWidth({ hiddenSize: largest, observedHiddenSize: observed }, "acs")).toEqual(largest);
    expect(countedWidth({ hiddenSize: largest, observedHiddenSize: observed }, "vllm")).toEqual(observed);
    expect(countedWidth({ hiddenSize: largest, observedHiddenSize: none }, "vllm")).toBeUndefined();
    const stated: Known<number> = { value: 64, source: "stated" };
    expect(countedWidth({ hiddenSize: stated, observedHiddenSize: observed }, "vllm")).toEqual(stated);
    const unknown = { layers: 9000, tokens: exactly(9000), maxTokens: 1, hiddenSize: undefined };
    expect(verdict(unknown)).toBe("unknown");
  });

  it("answers fits, exceeds or unknown for text by its bytes", () => {
    const text = (prompt: string, layers = 3) =>
      verdict({ layers, tokens: tokenBounds(prompt, true), maxTokens: 1, hiddenSize: largest });
    expect(text("a".repeat(680))).toBe("fits");
    expect(text("a".repeat(681))).toBe("unknown");
    expect(text("\u00e9".repeat(340))).toBe("fits");
    expect(text("\u00e9".repeat(341))).toBe("unknown");
    expect(text("a", 1025)).toBeInstanceOf(CaptureLimitError);
    expect(verdict({ layers: undefined, tokens: exactly(5), maxTokens: 1, hiddenSize: largest })).toBe(
      "unknown",
    );
  });

  it("refuses token ids if and only if the product is over the limit (property)", () => {
    const sizes = fc.tuple(
      fc.integer({ min: 1, max: 126 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom(96, 3072, 4096, 16384),
    );
    fc.assert(
      fc.property(sizes, ([layers, promptTokens, maxTokens, hidden]) => {
        const hiddenSize: Known<number> = { value: hidden, source: "catalogue" };
        const answer = verdict({ layers, tokens: exactly(promptTokens), maxTokens, hiddenSize });
        const over = captureNumbers({ layers, promptTokens, maxTokens, hiddenSize: hidden }) > captureLimit;
        expect(answer === "fits").toBe(!over);
        if (!(answer instanceof CaptureLimitError)) return;
        const { wouldFit } = answer;
        expect(wouldFit.layers * (promptTokens + maxTokens) * hidden).toBeLessThanOrEqual(captureLimit);
        expect((wouldFit.layers + 1) * (promptTokens + maxTokens) * hidden).toBeGreaterThan(captureLimit);
        expect(layers * wouldFit.tokens * hidden).toBeLessThanOrEqual(captureLimit);
        expect(layers * (wouldFit.tokens + 1) * hidden).toBeGreaterThan(captureLimit);
        const { requests } = wouldFit;
        expect(requests === undefined).toBe(wouldFit.layers === 0);
        if (requests === undefined) return;
        expect(requests * wouldFit.layers).toBeGreaterThanOrEqual(layers);
        expect((requests - 1) * wouldFit.layers).toBeLessThan(layers);
      }),
      { numRuns: 1000 },
    );
  });
});
