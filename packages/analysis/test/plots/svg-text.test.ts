import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitText, svgText, textWidth, wrapText } from "../../src/plots/svg-text.ts";

describe("wrapText", () => {
  it("keeps every word and the width", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.integer({ min: 80, max: 400 }), (list, width) => {
        const lines = wrapText(list.join(" "), width, 11);
        expect(lines.join(" ")).toBe(list.join(" "));
        for (const line of lines) expect(textWidth(line, 11)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("fitText", () => {
  it("shortens with an ellipsis only what is too long", () => {
    expect(fitText("short", 100, 11)).toBe("short");
    const cut = fitText("a name of ten thousand characters ".repeat(300), 100, 11);
    expect(cut.endsWith("…")).toBe(true);
    expect(textWidth(cut, 11)).toBeLessThanOrEqual(100);
  });
});

describe("svgText", () => {
  it("escapes and rounds", () => {
    expect(svgText("a < b", 1.23456, 2, { weight: 600, fill: "#000" })).toBe(
      '<text x="1.23" y="2" font-size="11" text-anchor="start" fill="#000" font-weight="600">a &lt; b</text>',
    );
  });
});
