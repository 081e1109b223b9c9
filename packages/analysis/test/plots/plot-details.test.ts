import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { plotCalibration } from "../../src/plots/calibration-plot.ts";
import { plotCaptureCost } from "../../src/plots/capture-cost-plot.ts";
import { plotCosineMatrix } from "../../src/plots/cosine-matrix.ts";
import { plotLabelEfficiency } from "../../src/plots/label-efficiency-plot.ts";
import { plotLogitLens } from "../../src/plots/logit-lens-plot.ts";
import { plotPositionSweep } from "../../src/plots/position-sweep-plot.ts";
import { plotProjection } from "../../src/plots/projection-plot.ts";
import { plotRoc } from "../../src/plots/roc.ts";
import { plotScoreHistogram } from "../../src/plots/score-histogram.ts";
import { plotSteeringSearch } from "../../src/plots/steering-search-plot.ts";
import { plotSweepControls } from "../../src/plots/sweep-controls.ts";
import { plotTokenHeatMap } from "../../src/plots/token-heat-map.ts";
import { plotTransferMatrix } from "../../src/plots/transfer-matrix.ts";
import type { Figure } from "../../src/plots/svg-figure.ts";
import { sampleSweep } from "../report/report-sample.ts";
import { sampleCaptureCost } from "./samples/capture-cost.ts";
import { manyCosines, sampleCosineMatrix } from "./samples/cosine-matrix.ts";
import { sampleLabelEfficiency } from "./samples/label-efficiency.ts";
import { undefinedSweep } from "./samples/layer-sweep.ts";
import { sampleLogitLens } from "./samples/logit-lens.ts";
import { samplePositionSweep } from "./samples/position-sweep.ts";
import { manyClouds, sampleProjection } from "./samples/projection.ts";
import { sampleReliabilityCurve } from "./samples/reliability-curve.ts";
import { emptyRocCurve, sampleRocCurve } from "./samples/roc-curve.ts";
import { sampleScoreHistogram } from "./samples/score-histogram.ts";
import { sampleSteeringSearch } from "./samples/steering-search.ts";
import { deepTokenScores, sampleTokenScores } from "./samples/token-scores.ts";
import { sampleTransferMatrix } from "./samples/transfer-matrix.ts";

const parse = ({ svg }: Figure) => parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document;
const texts = (figure: Figure): string[] =>
  [...parse(figure).querySelectorAll("text")].map((node) => node.textContent);
const titles = (figure: Figure): string[] =>
  [...parse(figure).querySelectorAll("title")].map((node) => node.textContent);

describe("plotTransferMatrix", () => {
  it("writes each score once, bold where its interval holds no chance, and hovers with what was left out", () => {
    const figure = plotTransferMatrix(sampleTransferMatrix());
    const cell = [...parse(figure).querySelectorAll("text")].filter(
      ({ textContent }) => textContent === "0.12",
    );
    expect(cell.map((node) => node.getAttribute("font-weight"))).toEqual(["600"]);
    const chance = [...parse(figure).querySelectorAll("text")].find(
      ({ textContent }) => textContent === "0.53",
    );
    expect(chance?.getAttribute("font-weight")).toBe("400");
    expect(titles(figure)).toContain(
      "fitted on cities (800 rows, 400 left out), scored on negated cities: AUROC 0.120 (0.095 to 0.145)",
    );
    expect(titles(figure)).toContain(
      "fitted on negated cities (800 rows), scored on reviews: AUROC not defined: one class only",
    );
  });

  it("refuses a cell of a dataset that is not among its datasets, by its place", () => {
    const matrix = sampleTransferMatrix();
    const [first, ...rest] = matrix.cells;
    expect(() => plotTransferMatrix({ ...matrix, cells: [{ ...first!, train: "towns" }, ...rest] })).toThrow(
      /result\.cells\[0\]\.train.*"towns".*cities, larger than/,
    );
  });
});

describe("plotCosineMatrix", () => {
  it("has each pair on both sides of the diagonal and none on it", () => {
    const shown = texts(plotCosineMatrix(sampleCosineMatrix()));
    expect(shown.filter((text) => text === "−0.71")).toHaveLength(2);
    expect(shown).not.toContain("1.00");
  });

  it("draws hundreds of pairs as one path a level", () => {
    const figure = plotCosineMatrix(manyCosines(40));
    expect(parse(figure).querySelectorAll("rect").length).toBeLessThan(20);
    expect(figure.svg.length).toBeLessThan(80_000);
  });
});

describe("plotRoc", () => {
  it("lists the marks with their intervals, and leaves out of the picture what is not defined", () => {
    const shown = texts(plotRoc(sampleRocCurve()));
    expect(shown).toContain("0.820 (0.779 to 0.861)");
    expect(shown).toContain("5%: 0.52 (0.41 to 0.63)");
    expect(texts(plotRoc(emptyRocCurve())).join(" ")).toContain("not defined: no negative row");
    expect(plotRoc({ ...sampleRocCurve(), strata: 5 }).caption).toContain(
      "The average of 5 curves, one a fold",
    );
  });

  it("thins a curve of many corners to what is seen", () => {
    const line = (steps: number): string =>
      [...parse(plotRoc(sampleRocCurve(steps))).querySelectorAll("path")]
        .map((path) => path.getAttribute("d") ?? "")
        .sort((a, b) => b.length - a.length)[0] ?? "";
    expect(line(20_000).length).toBeLessThan(40_000);
    expect(line(20_000).length).toBeGreaterThan(line(30).length);
  });
});

describe("plotScoreHistogram", () => {
  it("tells each class's rows, mean and share at the threshold or above", () => {
    expect(texts(plotScoreHistogram(sampleScoreHistogram()))).toContain(
      "202 rows, mean 1.9, 92.6% at the threshold or above",
    );
  });

  it("claims no share where the threshold cuts a bin that holds rows", () => {
    const cut = plotScoreHistogram(sampleScoreHistogram(undefined, 0.3));
    expect(texts(cut).join(" ")).not.toContain("at the threshold or above");
  });

  it("refuses counts and edges that do not go together", () => {
    const whole = sampleScoreHistogram();
    expect(() => plotScoreHistogram({ ...whole, edges: whole.edges.slice(1) })).toThrow(
      /classes\[0\]\.counts.*23 counts/,
    );
    expect(() => plotScoreHistogram({ ...whole, edges: whole.edges.toReversed() })).toThrow(
      /edges\[1\].*above the one before/,
    );
  });
});

describe("plotCalibration", () => {
  it("names the bin farthest from the diagonal, and tells each bin on hover", () => {
    const figure = plotCalibration(sampleReliabilityCurve());
    expect(figure.alt).toContain("farthest from the diagonal: mean probability 0.75, 0.63 positive");
    expect(titles(figure)).toContain(
      "14 rows, probability 0.50 to 0.60, mean 0.55: 0.50 (0.23 to 0.77) positive",
    );
  });
});

describe("plotProjection", () => {
  it("keeps one unit as long on both axes, and says where it does not", () => {
    const { caption, alt } = plotProjection(sampleProjection());
    expect(caption).toContain("One unit is as long on both axes.");
    expect(alt).toContain("true: 120 rows about (4.1, 0.4), half axes 5.38 and 2.69.");
    expect(plotProjection(manyClouds()).caption).toContain(
      "The axes have scales of their own. 1,500 of the rows are drawn",
    );
  });

  it("draws the ellipse where its numbers put it", () => {
    const figure = plotProjection(sampleProjection());
    const ring = [...parse(figure).querySelectorAll("path")].find(
      (path) =>
        path.getAttribute("fill") === "none" && (path.getAttribute("d") ?? "").split("L").length === 73,
    );
    const points = (ring?.getAttribute("d") ?? "")
      .slice(1)
      .split("L")
      .map((pair) => pair.split(",").map(Number));
    const [xs, ys] = [0, 1].map((axis) => points.slice(1).map((point) => point[axis] ?? 0)) as [
      number[],
      number[],
    ];
    const long = Math.max(...points.map(([x = 0, y = 0]) => Math.hypot(x - mean(xs), y - mean(ys))));
    const short = Math.min(...points.map(([x = 0, y = 0]) => Math.hypot(x - mean(xs), y - mean(ys))));
    expect(long / short).toBeCloseTo(5.385 / 2.692, 1);
  });
});

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("plotTokenHeatMap", () => {
  it("names white space, and strikes through what has no score", () => {
    const figure = plotTokenHeatMap(sampleTokenScores());
    expect(texts(figure)).toEqual(expect.arrayContaining(["·Paris", "↵", "⇥!", "[part]", "−3.96"]));
    expect(titles(figure)).toContain("position 14, “[part]”, layer 5: no score");
  });

  it("draws the positions asked for, and refuses those that hold no token", () => {
    const shown = texts(plotTokenHeatMap(deepTokenScores(), { positions: [100, 102] }));
    expect(shown).toEqual(expect.arrayContaining(["100", "101", "102"]));
    expect(shown).not.toContain("103");
    expect(() => plotTokenHeatMap(sampleTokenScores(), { positions: [50, 60] })).toThrow(/from 0 to 14/);
    expect(() => plotTokenHeatMap(sampleTokenScores(), { positions: [6, 2] })).toThrow(/not before it/);
    expect(plotTokenHeatMap(deepTokenScores()).caption).toContain("120 tokens more, not drawn");
  });
});

describe("plotPositionSweep", () => {
  it("writes scores where they find room, and names the token that all examples share", () => {
    const shown = texts(plotPositionSweep(samplePositionSweep()));
    expect(shown).toEqual(expect.arrayContaining(["−1", ":", "varies", "0.98"]));
  });

  it("refuses a cell of a layer that it does not list", () => {
    const sweep = samplePositionSweep();
    expect(() => plotPositionSweep({ ...sweep, layers: [0, 1] })).toThrow(
      /cells\[\d+\]\.layer.*one of its layers: 0, 1/,
    );
  });
});

describe("plotCaptureCost", () => {
  it("says by how much a plan does not fit, and what would", () => {
    const shown = texts(plotCaptureCost(sampleCaptureCost())).join(" ");
    expect(shown).toContain(
      "3 layers × 683 positions × 16,384 = 33,570,816 numbers, 16,384 over the limit: does not fit",
    );
    expect(shown).toContain("Would fit: 2 of 3 layers at 683 tokens, or 682 tokens at 3 layers");
    expect(shown).toContain("126 times the limit: does not fit");
    expect(shown).toContain("73.8% of the limit");
  });
});

describe("plotLogitLens", () => {
  it("draws as many layers as find room, the last among them, or those asked for", () => {
    const figure = plotLogitLens(sampleLogitLens(80));
    expect(figure.caption).toContain("7 of 80 layers are drawn");
    expect(texts(figure)).toContain("79");
    const two = plotLogitLens(sampleLogitLens(80), { layers: [3, 40] });
    expect(texts(two)).toEqual(expect.arrayContaining(["3", "40"]));
    expect(texts(two)).not.toContain("79");
    expect(() => plotLogitLens(sampleLogitLens(6), { layers: [6] })).toThrow(
      /layers\[0\].*one of its layers: 0, 1/,
    );
  });
});

describe("plotLabelEfficiency", () => {
  it("spaces doublings evenly", () => {
    const xs = [
      ...parse(plotLabelEfficiency(sampleLabelEfficiency([2, 4, 8, 16]))).querySelectorAll("circle"),
    ].map((dot) => Number(dot.getAttribute("cx")));
    const steps = xs.slice(1).map((x, index) => Math.round(x - (xs[index] ?? 0)));
    expect(new Set(steps).size).toBe(1);
  });
});

describe("plotSteeringSearch", () => {
  it("frames the winner, keeps the number of a damaged cell, and quotes the other half", () => {
    const figure = plotSteeringSearch(sampleSteeringSearch());
    expect(figure.caption).toContain(
      "layer 4, scale +2; its gain on the other half, which took no part in the choice: 2.61",
    );
    expect(titles(figure).some((text) => text.includes("damage: perplexity ×6.20, over ×2"))).toBe(true);
    expect(parse(figure).querySelectorAll('rect[stroke-width="2"]')).toHaveLength(1);
    expect(plotSteeringSearch({ ...sampleSteeringSearch(), winner: null }).alt).toContain(
      "No undamaged cell gains anything",
    );
  });
});

describe("plotSweepControls", () => {
  it("says how much less each rival scores, and begins with the verdict", () => {
    const figure = plotSweepControls(sampleSweep(), { width: 900 });
    expect(texts(figure)).toContain(
      "length of the prompt: 0.510 (0.440 to 0.580), less by 0.489 (0.419 to 0.559)",
    );
    expect(figure.caption).toMatch(/^Shown: the label can be read at layer 3\./);
    expect(texts(plotSweepControls(undefinedSweep())).join(" ")).toContain("not defined: one class only");
  });
});
