import * as Plot from "@observablehq/plot";
import { checkOptions } from "../options/check-options.ts";
import { scoreHistogramSchema, type ScoreHistogram } from "../results/score-histogram.ts";
import { checkResult } from "./check-result.ts";
import { classStyle } from "./class-style.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { niceTicks } from "./nice-ticks.ts";
import { color } from "./palette.ts";
import { counted, percent, signed } from "./plot-format.ts";
import { axisTitle } from "./plot-labels.ts";
import { plotPanel, xAxis } from "./plot-panel.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { svgLine, svgMarker, svgRect } from "./svg-shapes.ts";
import { fitText, svgText, textWidth } from "./svg-text.ts";

const [left, right] = [10, 10];

const whole = scoreHistogramSchema.superRefine(({ edges, classes }, context) => {
  const add = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  edges.forEach((edge, index) => {
    if (index > 0 && edge <= (edges[index - 1] ?? 0)) add(["edges", index], "a number above the one before");
  });
  classes.forEach(({ counts }, index) => {
    if (counts.length !== edges.length - 1)
      add(["classes", index, "counts"], `${edges.length - 1} counts, one a bin`);
  });
});

type ScoreClass = ScoreHistogram["classes"][number];

/** Share of a class's rows in bins that lie at the threshold or above; undefined where it cuts a bin that holds rows. */
function above({ edges, threshold }: ScoreHistogram, { counts, n }: ScoreClass): number | undefined {
  if (threshold === null || n === 0) return undefined;
  let sum = 0;
  for (const [bin, count] of counts.entries()) {
    const [low = 0, high = 0] = [edges[bin], edges[bin + 1]];
    if (low >= threshold) sum += count;
    else if (high > threshold && count > 0) return undefined;
  }
  return sum / n;
}

function classText(histogram: ScoreHistogram, entry: ScoreClass): string {
  const share = above(histogram, entry);
  const mean = entry.mean === null ? "" : `, mean ${short(entry.mean)}`;
  const over = share === undefined ? "" : `, ${percent(share)} at the threshold or above`;
  return `${counted(entry.n, "row")}${mean}${over}`;
}

/** Three digits that count. */
function short(value: number): string {
  return signed(Number(value.toPrecision(3)));
}

/** The largest share of a class's rows in one bin. */
function highest({ classes }: ScoreHistogram): number {
  return Math.max(0, ...classes.flatMap(({ counts, n }) => counts.map((count) => (n === 0 ? 0 : count / n))));
}

function describe(histogram: ScoreHistogram): { caption: string; alt: string } {
  const { n, groups, edges, classes, threshold, score } = histogram;
  return {
    caption:
      `n = ${counted(n, "row")} in ${counted(groups, "group")}; ${counted(edges.length - 1, "bin")} that all classes share. ` +
      `Heights: share of the class’s rows in the bin, up to ${percent(highest(histogram))}. Solid vertical line in a class: its mean.` +
      (threshold === null ? "" : ` Dashed: the threshold, ${short(threshold)}.`) +
      " Counts of these rows: no interval.",
    alt:
      `Histograms of ${score}, one a class. ` +
      classes.map((entry) => `${String(entry.label)}: ${classText(histogram, entry)}.`).join(" "),
  };
}

/** Round numbers whose texts stay inside the picture. */
function axisTicks(low: number, high: number, width: number): number[] {
  return niceTicks(low, high, Math.floor(width / 90)).filter((tick) => {
    const x = left + ((tick - low) / (high - low)) * (width - left - right);
    const half = textWidth(signed(tick), 11) / 2;
    return x - half >= 0 && x + half <= width;
  });
}

function thresholdName(x: number, threshold: number, width: number): string {
  const text = `threshold ${short(threshold)}`;
  const half = textWidth(text, 11) / 2;
  const middle = Math.min(Math.max(x, half), width - half);
  return svgText(text, middle, 11, { fill: color.ink, anchor: "middle" });
}

/**
 * How the scores of each class are spread: one histogram a class, beneath each other on one axis, with means and the threshold. Throws
 * InvalidRequestError for a document that is no score histogram.
 */
export function plotScoreHistogram(histogram: ScoreHistogram, options: FigureOptions = {}): Figure {
  const given = checkResult(whole, histogram, "plotScoreHistogram");
  const { width } = checkOptions(figureOptions, options, "plotScoreHistogram");
  const { edges, classes, threshold } = given;
  const [first = 0, last = 1] = [edges[0], edges.at(-1)];
  const low = Math.min(first, threshold ?? first);
  const high = Math.max(last, threshold ?? last);
  const bars = classes.length <= 3 ? 96 : 56;
  // Beneath the name where there is no room beside it.
  const beside = width >= 520;
  const labels = beside ? 26 : 40;
  const each = labels + bars;
  const top = threshold === null ? 6 : 22;
  const foot = top + classes.length * each;
  const height = foot + 44;
  const panel = plotPanel({
    width,
    height,
    margin: { top, right, bottom: 44, left },
    x: { type: "linear", domain: [low, high] },
    y: { domain: [0, 1] },
    marks: [
      ...xAxis(axisTicks(low, high, width), (value) => signed(value)),
      Plot.ruleY([0], { stroke: color.control }),
    ],
  });
  const most = highest(given) || 1;
  const rows = classes.map((entry, index) => {
    const { fill, shape } = classStyle(index);
    const base = top + (index + 1) * each;
    const name = fitText(String(entry.label), beside ? 0.35 * width : width - left - 16, 12, 600);
    const drawn = entry.counts.map((count, bin) => {
      const [from = 0, to = 0] = [edges[bin], edges[bin + 1]];
      const tall = entry.n === 0 ? 0 : (count / entry.n / most) * (bars - 6);
      const box = {
        x: panel.x(from),
        y: base - tall,
        width: Math.max(0.5, panel.x(to) - panel.x(from) - 1),
        height: tall,
      };
      const title = `${String(entry.label)}, ${short(from)} to ${short(to)}: ${counted(count, "row")} of ${entry.n.toLocaleString("en")}`;
      return count === 0 ? "" : svgRect(box, { fill, fillOpacity: 0.55, stroke: fill, title });
    });
    const y = base - each + 20;
    const words = classText(given, entry);
    const noteX = left + 16 + (beside ? textWidth(name, 12, 600) + 10 : 0);
    const mean = entry.mean === null ? undefined : panel.x(entry.mean);
    return [
      svgLine([left, base], [width - right, base], { stroke: color.grid }),
      ...drawn,
      threshold === null
        ? ""
        : svgLine([panel.x(threshold), base - bars - 2], [panel.x(threshold), base], {
            stroke: color.ink,
            strokeWidth: 1.25,
            dash: "5 3",
          }),
      mean === undefined
        ? ""
        : svgLine([mean, base - bars + 2], [mean, base], { stroke: color.ink, strokeWidth: 1.5 }),
      svgMarker(shape, left + 5, y - 4, 4.5, { fill }),
      svgText(name, left + 16, y, { size: 12, weight: 600, fill }),
      svgText(fitText(words, width - noteX, 11), noteX, beside ? y : y + 14, { fill: color.muted }),
    ].join("");
  });
  const body = [
    panel.body,
    ...rows,
    threshold === null ? "" : thresholdName(panel.x(threshold), threshold, width),
    axisTitle(fitText(given.score, width, 11), width / 2, height - 6, "middle"),
  ].join("");
  return svgFigure({
    title: "How the scores of the classes are spread",
    ...describe(given),
    width,
    height,
    body,
  });
}
