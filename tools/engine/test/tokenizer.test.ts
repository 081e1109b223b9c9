import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { readFolderJson } from "../src/checkpoint.ts";
import { createTextStream } from "../src/text-stream.ts";
import { createTokenizer, type Tokenizer } from "../src/tokenizer.ts";
import { fixtureJson, tinyModel } from "./support.ts";

interface Fixture {
  cases: { text: string; ids: number[]; plainIds: number[]; decoded: string }[];
}

let tokenizer: Tokenizer;
let fixture: Fixture;
beforeAll(async () => {
  tokenizer = createTokenizer(
    await readFolderJson(tinyModel, "tokenizer.json", ""),
    await readFolderJson(tinyModel, "tokenizer_config.json", ""),
  );
  fixture = await fixtureJson<Fixture>("tiny-tokenizer.json");
});

test("ids and texts are those of the Python library", () => {
  expect(fixture.cases.length).toBeGreaterThan(60);
  for (const { text, ids, plainIds, decoded } of fixture.cases) {
    expect({ text, ids: tokenizer.encode(text) }).toEqual({ text, ids });
    expect({ text, ids: tokenizer.encode(text, { addSpecialTokens: false }) }).toEqual({
      text,
      ids: plainIds,
    });
    expect(tokenizer.decode(plainIds)).toBe(decoded);
  }
});

test("a text of n characters has at least n / longestToken tokens", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const tokens = tokenizer.encode(text, { addSpecialTokens: false });
      expect(tokens.length).toBeGreaterThanOrEqual(text.length / tokenizer.longestToken);
    }),
  );
});

test("special tokens are left out when asked", () => {
  const ids = tokenizer.encode("a</s>b");
  expect(tokenizer.decode(ids)).toBe("<s>a</s>b");
  expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe("ab");
});

test.each([null, {}, [], { model: { type: "BPE" } }, "x"])("%j is no tokenizer", (json) => {
  expect(() => createTokenizer(json, {})).toThrow(
    expect.objectContaining({ code: "tokenizer_invalid" }) as Error,
  );
});

describe("a text stream", () => {
  test("gives the pieces of any text, and no half of a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        // U+FFFD itself looks like half a character, and waits for more.
        fc.pre(!text.includes("\uFFFD"));
        const stream = createTextStream(tokenizer);
        const pieces = tokenizer.encode(text, { addSpecialTokens: false }).map((token) => stream.push(token));
        for (const piece of pieces) expect(piece).not.toContain("\uFFFD");
        expect(pieces.join("")).toBe(text);
        expect(stream.text).toBe(text);
      }),
    );
  });

  test("holds back the bytes of an unfinished character", () => {
    const stream = createTextStream(tokenizer);
    const bytes = tokenizer.encode("🌍", { addSpecialTokens: false });
    expect(bytes.length).toBe(4);
    expect(bytes.map((token) => stream.push(token))).toEqual(["", "", "", "🌍"]);
  });

  test("bytes that never become a character do not hold the text back for ever", () => {
    const stream = createTextStream(tokenizer);
    const [lead] = tokenizer.encode("🌍", { addSpecialTokens: false });
    const letters = tokenizer.encode("abc", { addSpecialTokens: false });
    for (const token of [lead!, ...letters]) stream.push(token);
    expect(stream.text).toBe("\uFFFDabc");
    for (let i = 0; i < 5; i++) stream.push(lead!);
    expect(stream.text.length).toBeGreaterThan(4);
  });
});

test("spells tokens as the vocabulary has them", () => {
  const [space] = tokenizer.encode(" city", { addSpecialTokens: false });
  expect(tokenizer.spell([space!])[0]).toMatch(/^Ġ/);
  expect(tokenizer.spell([10 ** 9])).toEqual([""]);
});
