import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { color } from "../../src/plots/palette.ts";
import { svgFigure } from "../../src/plots/svg-figure.ts";
import { fitText, svgText, textWidth, wrapText } from "../../src/plots/svg-text.ts";
import { pngPixels } from "./png-pixels.ts";

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

describe("textWidth", () => {
  const sentences = [
    "logistic regression, layer 12: 0.998 (0.991 to 1.000)",
    "WWWW mmmm @@@@ %%%%",
    "illicit till jilt {}[]()|/\\ .,:;'\"`",
    "AVATAR 0123456789 −5 × 3 ≥ “true” … αβγ Дом ¼",
  ];

  it.each(sentences)("is no narrower than what is drawn of: %s", async (text) => {
    for (const weight of [400, 600] as const) {
      const drawing = svgText(text, 0, 20, { size: 16, weight, fill: color.ink });
      const figure = svgFigure({ title: " ", caption: "", alt: "", width: 700, height: 30, body: drawing });
      const picture = pngPixels(await figure.png({ scale: 1 }));
      let right = 0;
      // The round corners of the surface are transparent, that is black.
      for (let x = 0; x < picture.width; x += 1)
        for (let y = 10; y < picture.height - 10; y += 1) if ((picture.at(x, y)[0] ?? 255) < 128) right = x;
      const drawn = right - 14;
      const estimated = textWidth(text, 16, weight);
      expect(drawn).toBeLessThanOrEqual(1.01 * estimated);
      expect(drawn).toBeGreaterThan(0.8 * estimated);
    }
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
