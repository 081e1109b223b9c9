import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { plotLayerCurve } from "../../src/plots/layer-curve.ts";
import { jupyterDisplay } from "../../src/plots/svg-figure.ts";
import { sampleSweep } from "../report/report-sample.ts";

const parse = (svg: string) => parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document;
const texts = (svg: string): string[] =>
  [...parse(svg).querySelectorAll("text")].map((node) => node.textContent);

describe("plotLayerCurve", () => {
  it("names curves and controls directly, and marks the chosen layer", () => {
    const shown = texts(plotLayerCurve(sampleSweep()).svg);
    for (const name of [
      "difference of means",
      "logistic regression",
      "random directions",
      "shuffled labels",
      "chance, 0.5",
    ])
      expect(shown).toContain(name);
    expect(shown).toContain("chosen on inner folds: layer 3, logistic regression");
  });

  it("states n, the interval and the honest score in the caption, and says the finding in the alt text", () => {
    const { caption, alt, svg } = plotLayerCurve(sampleSweep());
    expect(caption).toContain("n = 240 rows in 40 groups (by city)");
    expect(caption).toContain("95% cluster bootstrap");
    expect(caption).toContain("0.999 (0.996 to 1.000)");
    expect(alt).toContain("With shuffled labels: 0.503 (0.415 to 0.591)");
    const root = parse(svg).querySelector("svg");
    expect(root?.getAttribute("role")).toBe("img");
    expect(root?.getAttribute("aria-label")).toBe(alt);
    expect(root?.querySelector("title")?.textContent).toBe("Where “truth” can be read, layer by layer");
  });

  it("tells each point's number and interval on hover", () => {
    const titles = [...parse(plotLayerCurve(sampleSweep()).svg).querySelectorAll("svg title")];
    expect(titles.map((node) => node.textContent)).toContain(
      "logistic regression, layer 3: 0.999 (0.997 to 1.000)",
    );
  });

  it("shows itself in a notebook and leaves the namespace out of pages", () => {
    const figure = plotLayerCurve(sampleSweep());
    const bundle = figure[jupyterDisplay]();
    expect(Object.keys(bundle)).toEqual(["image/svg+xml", "text/html", "text/plain"]);
    expect(bundle["image/svg+xml"]).toMatch(/^<svg xmlns=/);
    // As an image: of SVG elements in HTML, a notebook that its reader has not run shows the bare texts.
    const image = parse(bundle["text/html"]!).querySelector("img.residua-image")!;
    expect(bundle["text/html"]).not.toContain("<svg");
    expect(decodeURIComponent(image.getAttribute("src")!.replace("data:image/svg+xml,", ""))).toBe(
      figure.svg,
    );
    expect(figure.alt).toContain(image.getAttribute("alt")!.slice(0, 40));
    expect(String(figure)).toBe(figure.svg);
    expect(figure.inline()).not.toMatch(/http|<style/);
  });

  it("draws a single layer and leaves out what is not defined", () => {
    const sweep = sampleSweep();
    const [only] = sweep.layers.filter(({ layer }) => layer === 3);
    if (only === undefined) throw new Error("the sample has a layer 3");
    const none = { value: null, low: null, high: null, reason: "no draw" };
    const { svg } = plotLayerCurve({
      ...sweep,
      layers: [{ ...only, controls: { ...only.controls, randomDirection: none } }],
    });
    expect(texts(svg)).not.toContain("random directions");
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("escapes a hostile label", () => {
    const label = `</title></svg><script>alert(1)</script>"'\u202e`;
    const { svg } = plotLayerCurve({ ...sampleSweep(), label, group: label });
    const document = parse(svg);
    expect(document.querySelectorAll("script")).toHaveLength(0);
    expect(document.body.children).toHaveLength(1);
    expect(svg).not.toContain("\u202e");
  });
});
