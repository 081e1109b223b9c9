import type { Known } from "@residua/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { captureNumbers, judgeCapture } from "../../src/limits/capture-limit.ts";
import { splitLayers } from "../../src/plan/split-layers.ts";

const width: Known<number> = { value: 10, source: "catalogue" };
const exactly = (tokens: number) => ({ least: tokens, most: tokens });
const question = { layers: 4, tokens: exactly(9), maxTokens: 1, hiddenSize: width, limit: 400 };
const layers = [1, 3, 5, 7];
const gives = "asked";

describe("splitLayers", () => {
  it("splits on the far side of the limit only", () => {
    expect(splitLayers({ layers: layers, question: question, gives })).toEqual({
      fits: "fits",
      requests: [layers],
    });
    expect(splitLayers({ layers: layers, question: { ...question, limit: 399 }, gives })).toEqual({
      fits: "fits",
      requests: [
        [1, 3],
        [5, 7],
      ],
    });
    expect(splitLayers({ layers: layers, question: { ...question, limit: 100 }, gives }).requests).toEqual([
      [1],
      [3],
      [5],
      [7],
    ]);
    expect(splitLayers({ layers: layers, question: { ...question, limit: 99 }, gives })).toEqual({
      fits: "never",
      requests: [],
    });
  });

  it("goes by the upper bound of tokens, and sends single layers where even that is not known to fit", () => {
    const text = { ...question, tokens: { least: 1, most: 19 } };
    expect(splitLayers({ layers: layers, question: { ...text, limit: 400 }, gives })).toEqual({
      fits: "fits",
      requests: [
        [1, 3],
        [5, 7],
      ],
    });
    expect(splitLayers({ layers: layers, question: { ...text, limit: 199 }, gives })).toEqual({
      fits: "unknown",
      requests: [[1], [3], [5], [7]],
    });
  });

  it("cannot split what is not known", () => {
    expect(splitLayers({ layers: undefined, question: { ...question, layers: undefined }, gives })).toEqual({
      fits: "unknown",
      requests: [undefined],
    });
    expect(
      splitLayers({ layers: undefined, question: { ...question, layers: undefined, limit: 99 }, gives }),
    ).toEqual({
      fits: "never",
      requests: [],
    });
    expect(splitLayers({ layers: layers, question: { ...question, hiddenSize: undefined }, gives })).toEqual({
      fits: "unknown",
      requests: [layers],
    });
  });

  it("cannot split what a server gives whole", () => {
    const all = { layers, gives: "all" } as const;
    expect(splitLayers({ ...all, question })).toEqual({ fits: "fits", requests: [layers] });
    expect(splitLayers({ ...all, question: { ...question, limit: 399 } })).toEqual({
      fits: "never",
      requests: [],
    });
  });

  it("parts are the layers in order, each fits, and no fewer would do (property)", () => {
    const sizes = fc.record({
      count: fc.integer({ min: 1, max: 126 }),
      tokens: fc.integer({ min: 1, max: 2000 }),
      maxTokens: fc.integer({ min: 1, max: 300 }),
      limit: fc.integer({ min: 1, max: 3_000_000 }),
    });
    fc.assert(
      fc.property(sizes, ({ count, tokens, maxTokens, limit }) => {
        const all = Array.from({ length: count }, (_, layer) => layer);
        const asked = { layers: count, tokens: exactly(tokens), maxTokens, hiddenSize: width, limit };
        const { fits, requests } = splitLayers({ layers: all, question: asked, gives });
        const numbers = (n: number) =>
          captureNumbers({ layers: n, promptTokens: tokens, maxTokens, hiddenSize: width.value });
        expect(fits === "never").toBe(numbers(1) > limit);
        if (fits === "never") return;
        expect(requests.flat()).toEqual(all);
        const largest = Math.max(...requests.map((part) => part!.length));
        expect(judgeCapture({ ...asked, layers: largest })).toBe("fits");
        expect(largest - Math.min(...requests.map((part) => part!.length))).toBeLessThanOrEqual(1);
        const fewer = requests.length - 1;
        if (fewer > 0) expect(numbers(Math.ceil(count / fewer))).toBeGreaterThan(limit);
      }),
      { numRuns: 500 },
    );
  });
});
