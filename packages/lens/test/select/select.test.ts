import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bf16ToFloat32 } from "../../src/codec/bfloat16.ts";
import { select, type SelectedRows } from "../../src/select/select.ts";
import {
  everyToken,
  first,
  last,
  lastK,
  maxOf,
  meanOf,
  type Selection,
  span,
} from "../../src/select/selection.ts";
import { captureOf, type MadeTokens, madeCapture } from "./made-capture.ts";

const made: MadeTokens = {
  prompt: "The sky is blue",
  names: [null, "The", " sky", " is", " blue"],
  generated: [" and", " so", " on"],
};
const capture = madeCapture(made);

const positionsOf = (selection: Selection, of = capture) => select(of, selection).positions;
const floats = (rows: SelectedRows, layer: number) => {
  const found = rows.layers.find((one) => one.layer === layer)!;
  return [...(found.dtype === "bfloat16" ? bf16ToFloat32(found.bits) : found.values)];
};

describe("by position", () => {
  it.each<[string, Selection, number[]]>([
    ["last", last, [6]],
    ["first", first, [0]],
    ["every", everyToken, [0, 1, 2, 3, 4, 5, 6]],
    ["the last 3", lastK(3), [4, 5, 6]],
    ["the last 2 of the prompt", lastK(2, { of: "prompt" }), [3, 4]],
    ["more than there are", lastK(9, { of: "generated" }), [5, 6]],
    ["the prompt", span({ role: "prompt" }), [0, 1, 2, 3, 4]],
    ["generated tokens with a row", span({ role: "generated" }), [5, 6]],
    ["tokens", span({ tokens: { from: 2, to: 4 } }), [2, 3]],
    [
      "stretches of tokens, each position once",
      span({
        tokens: [
          { from: 5, to: 7 },
          { from: 1, to: 2 },
          { from: 5, to: 6 },
        ],
      }),
      [1, 5, 6],
    ],
  ])("%s", (_, selection, positions) => {
    expect(positionsOf(selection)).toEqual(positions);
    expect(positionsOf(JSON.parse(JSON.stringify(selection)) as Selection)).toEqual(positions);
  });

  it("gives bits by layer with ids and texts, in memory of their own (C25)", () => {
    const rows = select(capture, lastK(2));
    expect(rows).toMatchObject({ rowCount: 2, hiddenSize: 4, positions: [5, 6], matches: [] });
    expect(rows.tokens).toEqual([
      { id: 500, text: " and", role: "generated" },
      { id: 501, text: " so", role: "generated" },
    ]);
    expect(rows.layers.map(({ layer, dtype }) => [layer, dtype])).toEqual([
      [2, "bfloat16"],
      [5, "bfloat16"],
    ]);
    for (const layer of [2, 5]) {
      const expected = [5, 6].flatMap((position) => [...capture.row({ layer, position })]);
      expect(floats(rows, layer)).toEqual(expected);
    }
    for (const one of rows.layers) {
      const data = one.dtype === "bfloat16" ? one.bits : one.values;
      expect(data.buffer.byteLength).toBe(2 * 4 * 2);
    }
  });

  it("gives float32 where the server did, and layers ascending", () => {
    const wide = madeCapture({ ...made, dtype: "float32", layers: [9, 1] });
    const rows = select(wide, first);
    expect(rows.layers.map(({ layer, dtype }) => [layer, dtype])).toEqual([
      [1, "float32"],
      [9, "float32"],
    ]);
    expect(floats(rows, 9)).toEqual([...wide.row({ layer: 9, position: 0 })]);
  });

  it("takes several by name", () => {
    const { city, end } = select(capture, { city: span({ text: " sky" }), end: last });
    expect([city.positions, end.positions]).toEqual([[2], [6]]);
  });

  it("says what has no row", () => {
    expect(() => positionsOf(span({ tokens: { from: 6, to: 8 } }))).toThrow(
      "token 7 has no row: captured are positions 0 to 6",
    );
    const short = madeCapture({ ...made, generated: [" and"] });
    expect(() => positionsOf(span({ role: "generated" }), short)).toThrow("no captured token is selected");
  });
});

describe("by text", () => {
  it.each<[string, Selection, number[], string[]]>([
    ["text", span({ text: " sky is" }), [2, 3], [" sky is"]],
    ["pattern", span({ pattern: /B.*e/i }), [4], ["blue"]],
    ["every match", span({ pattern: / \w+/g, occurrence: "all" }), [2, 3, 4], [" sky", " is", " blue"]],
    ["the last", span({ pattern: / ?\w+/, occurrence: "last" }), [4], [" blue"]],
    ["the second", span({ pattern: / ?\w+/, occurrence: 1 }), [2], [" sky"]],
    ["code points", span({ characters: { from: 0, to: 3, unit: "codePoints" } }), [1], ["The"]],
    ["generated", span({ text: " so", of: "generated" }), [6], [" so"]],
    ["across", span({ text: "blue and", of: "all", cut: "outer" }), [4, 5], ["blue and"]],
    ["characters of both", span({ characters: { from: 10, to: 19 }, of: "all" }), [4, 5], [" blue and"]],
  ])("%s", (_, selection, positions, texts) => {
    // The pattern leaves the space out, which belongs to the token.
    const asked =
      selection.kind === "span" && "pattern" in selection.target
        ? { ...selection, cut: "outer" as const }
        : selection;
    const rows = select(capture, asked);
    expect(rows.positions).toEqual(positions);
    expect(rows.matches.map(({ text }) => text)).toEqual(texts);
  });

  it("span cut: refuses half a token unless asked, and names both", () => {
    expect(() => positionsOf(span({ text: "sky is" }))).toThrow(
      '"sky is" is characters 4 to 10, and token 2 (" sky") is 3 to 7; cut: "outer" takes the whole token',
    );
    expect(positionsOf(span({ text: "sky is", cut: "outer" }))).toEqual([2, 3]);
    expect(positionsOf(span({ text: "sky is", cut: "inner" }))).toEqual([3]);
    expect(() => positionsOf(span({ text: "sk", cut: "inner" }))).toThrow("no captured token");
  });

  it.each<[string, Selection, string]>([
    ["span_not_found", span({ text: "green" }), '"green" occurs 0 times in the prompt of 15 characters'],
    ["span_not_found", span({ pattern: /x*/ }), "/x*/ occurs 0 times"],
    ["span_not_found", span({ text: "is", occurrence: 3, cut: "outer" }), "occurs once"],
    ["span_not_found", span({ characters: { from: 3, to: 16 } }), "the prompt text has 15 (UTF-16 units)"],
    ["span_ambiguous", span({ text: " " }), '" " occurs 3 times in the prompt; say which'],
    ["span_not_captured", span({ text: " so on", of: "generated" }), "token 7 has no row"],
  ])("%s: %j", (code, selection, message) => {
    expect(() => positionsOf(selection)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error,
    );
  });

  it("counts characters of a prompt of token ids from its text only where the first token is the BOS", () => {
    const ids: MadeTokens = { ...made, prompt: [0, 101, 102, 103, 104] };
    const bos = madeCapture(ids);
    expect(positionsOf(span({ characters: { from: 3, to: 7 } }), bos)).toEqual([2]);
    const headless = madeCapture({ ...ids, firstId: 77 });
    expect(positionsOf(span({ text: " sky" }), headless)).toEqual([2]);
    expect(() => positionsOf(span({ characters: { from: 3, to: 7 } }), headless)).toThrow(
      "the text of token 0",
    );
  });

  it("offsets are refused where the server told no texts, or texts of something else", () => {
    const silent = madeCapture({ ...made, names: [null, "The", null, " is", " blue"] });
    expect(() => positionsOf(span({ text: " is" }), silent)).toThrow("did not tell the text of token 2");
    expect(positionsOf(lastK(1), silent)).toEqual([6]);
    const other = madeCapture({ ...made, names: [null, "the", "sky", "is", "blue"] });
    expect(() => positionsOf(span({ text: " is" }), other)).toThrow("cannot be told");
  });

  it("knows a first token whose text the server never names", () => {
    const cut = madeCapture({ ...made, names: [null, " sky", " is", " blue"], firstId: 504 });
    expect(positionsOf(span({ text: "The" }), cut)).toEqual([0]);
    expect(positionsOf(span({ text: "The sky" }), cut)).toEqual([0, 1]);
  });

  it("what a stop text cut off has no characters", () => {
    const stopped = madeCapture({ ...made, generated: [" Paris", ".", "\n", "\n"], text: " Paris." });
    expect(positionsOf(span({ text: ".", of: "generated" }), stopped)).toEqual([6]);
    expect(positionsOf(span({ role: "generated" }), stopped)).toEqual([5, 6, 7]);
  });
});

describe("pooling", () => {
  const fixture = JSON.parse(
    readFileSync(new URL("../../fixtures/select/pooling.json", import.meta.url), "utf8"),
  ) as {
    shape: [number, number, number];
    bits: string;
    cases: { name: string; from: number; to: number; mean: string; max: string }[];
  };
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "base64")).buffer;
  const [layerCount, positions] = fixture.shape;
  const wide = captureOf({
    tokens: Array.from({ length: positions + 1 }, (_, i) => ({
      id: i,
      text: `t${i}`,
      role: i < positions ? "prompt" : "generated",
    })),
    layers: Array.from({ length: layerCount }, (_, layer) => layer),
    positions,
    values: bf16ToFloat32(new Uint16Array(bytes(fixture.bits))),
    dtype: "bfloat16",
    prompt: Array.from({ length: positions }, (_, i) => i),
    bosTokenId: 0,
    text: "",
  });

  it.each(fixture.cases)(
    "equals NumPy's float64 mean and max, bit for bit: $name",
    ({ from, to, mean, max }) => {
      const over = span({ tokens: { from, to } });
      for (const [selection, expected] of [
        [meanOf(over, { bos: "in" }), mean],
        [maxOf(over, { bos: "in" }), max],
      ] as const) {
        const rows = select(wide, selection);
        expect(rows).toMatchObject({
          rowCount: 1,
          positions: Array.from({ length: to - from }, (_, i) => from + i),
        });
        const all = rows.layers.flatMap((layer) => (layer.dtype === "float32" ? [...layer.values] : []));
        expect(all).toEqual([...new Float32Array(bytes(expected))]);
      }
    },
  );

  it("bos out: leaves out a BOS at position 0, and nothing else", () => {
    expect(positionsOf(meanOf(everyToken))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(positionsOf(meanOf(everyToken, { bos: "in" }))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(positionsOf(maxOf(span({ role: "prompt" })))).toEqual([1, 2, 3, 4]);
    expect(positionsOf(maxOf(lastK(2)))).toEqual([5, 6]);
    const none = madeCapture({ ...made, names: ["The", " sky", " is", " blue"], bosTokenId: null });
    expect(positionsOf(meanOf(everyToken), none)[0]).toBe(0);
    const other = madeCapture({ ...made, firstId: 9 });
    expect(positionsOf(meanOf(everyToken), other)[0]).toBe(0);
    const spelt = madeCapture({
      ...made,
      prompt: "<s>The",
      names: ["<s>", "The"],
      bosTokenId: null,
      firstId: 1,
    });
    expect(positionsOf(meanOf(everyToken), spelt)[0]).toBe(1);
    expect(() => positionsOf(meanOf(first))).toThrow("only the BOS is selected");
    expect(positionsOf(meanOf(first, { bos: "in" }))).toEqual([0]);
  });

  it.each<[string, Partial<MadeTokens>]>([
    ["no id and no text", { bosTokenId: null, firstId: null }],
    ["an id, and no BOS to compare with", { bosTokenId: null, firstId: 7 }],
    [
      "a special token that may be one",
      { bosTokenId: null, names: ["<|im_start|>", "The"], prompt: "<|im_start|>The", firstId: 1 },
    ],
  ])("bos unknown: is refused with what to state (%s)", (_, more) => {
    const unsure = madeCapture({ ...made, ...more });
    expect(() => positionsOf(meanOf(everyToken), unsure)).toThrow(
      'createClient({ models: { "m": { bosTokenId: 1 } } })',
    );
    expect(positionsOf(meanOf(lastK(1)), unsure)).toHaveLength(1);
  });

  it("a mean lies between the least and the most, a max is one of the rows (property)", () => {
    fc.assert(
      fc.property(fc.nat(positions - 1), fc.nat(positions - 1), (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b) + 1];
        const over = span({ tokens: { from, to } });
        const rows = Array.from({ length: to - from }, (_, i) => wide.row({ layer: 1, position: from + i }));
        const mean = floats(select(wide, meanOf(over, { bos: "in" })), 1);
        const max = floats(select(wide, maxOf(over, { bos: "in" })), 1);
        max.forEach((value, i) => {
          const column = rows.map((row) => row[i]!);
          expect(value).toBe(Math.max(...column));
          expect(mean[i]!).toBeLessThanOrEqual(Math.max(...column));
          expect(mean[i]!).toBeGreaterThanOrEqual(Math.min(...column));
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe("what is no selection", () => {
  it("is refused with what is one", () => {
    const untyped = select as unknown as (capture: unknown, selection: unknown) => unknown;
    expect(() => untyped(null, last)).toThrow("select: capture null given; allowed: an object of layers");
    for (const given of ["last", null, undefined, 3, [last], { a: "last" }, new Map([["a", last]])])
      expect(() => untyped(capture, given)).toThrow(/given; allowed: last, first, everyToken, lastK\(k\)/);
    expect(() => untyped(capture, { kind: "last" })).toThrow("selection: count:");
    expect(() => (span as unknown as () => unknown)()).toThrow("span: options undefined given; allowed");
    expect(() => span({ pattern: "sky" as unknown as RegExp })).toThrow(
      'options.pattern "sky" given; allowed: a RegExp',
    );
  });

  it("a sticky pattern matches as it does elsewhere: from the beginning on, without a gap", () => {
    const at = (pattern: RegExp) => positionsOf(span({ pattern, occurrence: "all" }));
    expect(at(/ ?\w+/y)).toEqual([1, 2, 3, 4]);
    expect(at(/The| sky/y)).toEqual([1, 2]);
    expect(at(/The| sky|blue/gy)).toEqual([1, 2]);
    expect(() => at(/ sky/y)).toThrow("/ sky/y occurs 0 times");
  });
});
