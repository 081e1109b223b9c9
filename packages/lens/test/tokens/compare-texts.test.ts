import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareTexts } from "../../src/tokens/compare-texts.ts";

const prompt = "The sky is blue";

describe("what tokens read", () => {
  it.each([
    ["same", ["The", " sky", " is", " blue"]],
    ["same", [" The", " sky", " is", " blue"]],
    ["folded", ["the", "sky", "is", "blue"]],
    ["folded", ["\u2581The", "\u2581sky", "\u2581is", "\u2581blue", "</s>"]],
    ["folded", ["[CLS]", "The", "\u0120sky", "\u0120is", "\u0120blue", "[SEP]"]],
    ["more", ["You", " are", " helpful", ". The", " sky", " is", " blue"]],
    ["more", ["The", " sky", " is", " blue", " today"]],
    ["other", ["The", " sky", " is", " red"]],
    ["other", [" blue", " is", " sky", "The"]],
    // Position 0 is not named: "The" may be its text.
    ["unknown", [" sky", " is", " blue"]],
    ["unknown", ["The", " <unk>", " is", " blue"]],
    ["unknown", ["The", " \ufffd"]],
    ["unknown", []],
  ] as const)("%s: %j", (outcome, tokens) => {
    expect(compareTexts(prompt, tokens)).toBe(outcome);
  });

  it("is not decided where letters are others that a tokenizer may change", () => {
    expect(compareTexts("\u7e41\u9ad4", ["\u7e41\u4f53"])).toBe("unknown");
    expect(compareTexts("Stra\u00dfe", ["strasse"])).toBe("unknown");
    expect(compareTexts("!!!", ["???"])).toBe("unknown");
    // More is more in every script.
    expect(compareTexts("\u00e9t\u00e9", ["un ", "\u00e9t\u00e9"])).toBe("more");
  });

  it("is never another text for tokenizers that change case, spaces, accents and signs, first token named or not", () => {
    const changes: ((text: string) => string)[] = [
      (text) => text.toLowerCase(),
      (text) => text.normalize("NFC"),
      (text) => text.normalize("NFKC"),
      (text) => text.normalize("NFD").replaceAll(/\p{M}/gu, ""),
      (text) => text.replaceAll(/\s+/g, " ").trim(),
      (text) => text.replaceAll(" ", "\u2581"),
      (text) => text.replaceAll("``", '"').replaceAll("''", '"'),
    ];
    const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.lorem({ maxCount: 6 }));
    fc.assert(
      fc.property(text, fc.constantFrom(...changes), fc.nat(12), (asked, change, first) => {
        const read = change(asked);
        for (const cut of [0, first])
          expect(["same", "folded", "unknown"]).toContain(compareTexts(asked, [read.slice(cut)]));
      }),
      { numRuns: 500 },
    );
  });
});
