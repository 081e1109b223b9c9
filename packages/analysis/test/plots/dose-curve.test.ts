import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { plotDoseCurve } from "../../src/plots/dose-curve.ts";
import { sampleSteering } from "../report/report-sample.ts";

const parse = (svg: string) => parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document;
const texts = (svg: string): string[] =>
  [...parse(svg).querySelectorAll("text")].map((node) => node.textContent);

describe("plotDoseCurve", () => {
  it("names each side over the half in which it turns answers", () => {
    const find = (svg: string, text: string) =>
      [...parse(svg).querySelectorAll("text")]
        .find((node) => node.textContent === text)
        ?.getAttribute("text-anchor");
    const { svg } = plotDoseCurve(sampleSteering());
    expect(find(svg, "turned to “true”")).toBe("end");
    expect(find(svg, "turned to “false”")).toBe("start");
    const steering = sampleSteering();
    const turned = {
      ...steering,
      scales: steering.scales.map((entry) => ({ ...entry, scale: -entry.scale })),
    };
    expect(find(plotDoseCurve(turned).svg, "turned to “true”")).toBe("start");
  });

  it("states n, intervals, twins and the direction's length", () => {
    const { caption, alt } = plotDoseCurve(sampleSteering());
    expect(caption).toContain("n = 80 prompts in 40 groups");
    expect(caption).toContain("20 directions of the same length");
    expect(caption).toContain("of length 4.22, added to the output of layer 3");
    expect(alt).toContain("At scale +3, 99.1% turn to true.");
    expect(alt).toContain("20 random directions of equal length turns at most 2.4%");
  });

  it("gives each point's number and interval on hover", () => {
    const titles = [...parse(plotDoseCurve(sampleSteering()).svg).querySelectorAll("circle title")].map(
      (node) => node.textContent,
    );
    expect(titles).toContain("random twins, scale +2: 1.6% (1.0% to 2.2%)");
    expect(titles).toContain("perplexity at scale +2: 7.57, ×1.20");
  });

  it("drops the lower panel when perplexity was not measured, and draws great damage on a logarithmic axis", () => {
    const steering = sampleSteering();
    const none = { ...steering, scales: steering.scales.map((entry) => ({ ...entry, perplexity: null })) };
    expect(texts(plotDoseCurve(none).svg).join()).not.toContain("perplexity");
    expect(texts(plotDoseCurve(none).svg)).toEqual(expect.arrayContaining(["−3", "0", "+3"]));
    const great = {
      ...steering,
      scales: steering.scales.map((entry) => ({
        ...entry,
        perplexity: {
          value: 6.31 * Math.exp(Math.abs(entry.scale)),
          ratio: Math.exp(Math.abs(entry.scale)),
          ratioLow: null,
          ratioHigh: null,
          tokens: 512,
        },
      })),
    };
    expect(texts(plotDoseCurve(great).svg)).toEqual(expect.arrayContaining(["×1", "×2", "×4", "×10"]));
  });

  it("refuses an evaluation without choices, whose turned answers are undefined", () => {
    expect(() => plotDoseCurve({ ...sampleSteering(), choices: null })).toThrow(/made without choices/);
  });

  it("lets no answer text break out, reorder or make the file unreadable as XML", () => {
    const choice = `</title></svg><script>alert(1)</script>"'&\u202e\u0000 https://example.org`;
    const { svg } = plotDoseCurve({ ...sampleSteering(), choices: [choice, choice] });
    const document = parse(svg);
    expect(document.querySelectorAll("script")).toHaveLength(0);
    expect(document.body.children).toHaveLength(1);
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/\/\/|[\u0000-\u0008\u202e]/);
  });

  it("survives a run with nothing to turn and no twins", () => {
    const none = { value: null, low: null, high: null, reason: "no prompt was answered with a choice" };
    const steering = sampleSteering();
    const { svg, alt } = plotDoseCurve({
      ...steering,
      twins: [],
      scales: steering.scales.map((entry) => ({ ...entry, toFirst: none, toSecond: none })),
    });
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(alt).toContain("No share turned to true is defined.");
  });
});
