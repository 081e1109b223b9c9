import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { tokenScoresStrip } from "../../src/plots/token-scores-strip.ts";
import { sampleTokenScores } from "./samples/token-scores.ts";

const tips = (markup: string): (string | null)[] =>
  [...parseHTML(`<!doctype html><html><body>${markup}</body></html>`).document.querySelectorAll(".t")].map(
    (node) => node.getAttribute("data-tip"),
  );

describe("tokenScoresStrip", () => {
  const scores = sampleTokenScores();

  it("shows the last layer's scores around its threshold, or those of the layer asked for", () => {
    const last = tokenScoresStrip(scores).inline();
    expect(tips(last)[1]).toContain(`score −${Math.abs(scores.layers[5]!.scores[1]!).toFixed(2)}`);
    expect(last).toContain("logit of the truth probe of each layer, layer 5");
    expect(last).toContain("dotted, under 0.50: false");
    const second = tokenScoresStrip(scores, { layer: 1 }).inline();
    expect(tips(second)[1]).toContain(`score ${scores.layers[1]!.scores[1]!.toFixed(2)}`);
    expect(second).toContain("under 0.10");
    expect(tips(second).at(-1)).toContain("no score");
  });

  it("refuses a layer that was not scored, and rows of another length, by name", () => {
    expect(() => tokenScoresStrip(scores, { layer: 9 })).toThrow(/layer.*9.*0, 1, 2, 3, 4, 5/);
    const [first] = scores.layers;
    const short = { ...scores, layers: [{ ...first!, scores: [1] }] };
    expect(() => tokenScoresStrip(short)).toThrow(/result\.layers\[0\]\.scores.*15 scores, one a token/);
  });
});
