import * as Plot from "@observablehq/plot";
import { checkOptions } from "../options/check-options.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { choiceNames } from "./choice-names.ts";
import { color } from "./palette.ts";
import { counted, estimateText, percent, scaleText, signed } from "./plot-format.ts";
import { axisTitle, endLabels, type EndLabel } from "./plot-labels.ts";
import { plotPanel, xAxis, yGrid } from "./plot-panel.ts";
import { perplexityPanel, perplexityPanelHeight, scaleTicks } from "./plot-perplexity.ts";
import type { Estimate } from "../results/estimate.ts";
import { steeringEvaluationSchema, type SteeringEvaluation } from "../results/steering-evaluation.ts";
import { seriesKey } from "./series-key.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { fitText, svgText } from "./svg-text.ts";

export type DoseCurveOptions = FigureOptions;

interface Point {
  scale: number;
  value: number;
  low: number;
  high: number;
  text: string;
}

const left = 44;

function pointsOf(name: string, entries: { scale: number; estimate: Estimate }[]): Point[] {
  return entries
    .flatMap(({ scale, estimate }) => {
      const { value, low, high } = estimate;
      if (value === null) return [];
      const text = `${name}, scale ${scaleText(scale)}: ${estimateText(estimate, percent)}`;
      return [{ scale, value, low: low ?? value, high: high ?? value, text }];
    })
    .sort((a, b) => a.scale - b.scale);
}

function band(points: Point[], stroke: string, symbol: "circle" | "square", quiet = false): Plot.Markish[] {
  return [
    Plot.areaY(points, { x: "scale", y1: "low", y2: "high", fill: stroke, fillOpacity: quiet ? 0.2 : 0.16 }),
    ...(points.length === 1 ? [Plot.ruleX(points, { x: "scale", y1: "low", y2: "high", stroke })] : []),
    Plot.line(points, { x: "scale", y: "value", stroke, strokeWidth: quiet ? 1.5 : 2 }),
    Plot.dot(points, { x: "scale", y: "value", r: quiet ? 2 : 3, symbol, fill: stroke, title: "text" }),
  ];
}

/** The scale at which a side turns most: its name is written over that half of the panel. */
function peak(points: Point[]): number {
  return points.reduce(
    (best, point) => (point.value > best.value ? point : best),
    points[0] ?? { scale: 0, value: 0 },
  ).scale;
}

function sideTitles(
  evaluation: SteeringEvaluation,
  first: Point[],
  second: Point[],
  end: number,
  top: number,
): string {
  const [one, two] = choiceNames(evaluation);
  const ends = [left, end] as const;
  const firstRight = peak(first) >= peak(second);
  const title = (to: string, from: string, fill: string, onRight: boolean): string => {
    const half = (ends[1] - ends[0]) / 2 - 12;
    const anchor = onRight ? "end" : "start";
    const x = onRight ? ends[1] : ends[0];
    return (
      svgText(fitText(`turned to “${to}”`, half, 12, 600), x, top + 34, {
        size: 12,
        fill,
        weight: 600,
        anchor,
      }) +
      svgText(fitText(half < 150 ? `of “${from}”` : `of those answered “${from}”`, half, 11), x, top + 48, {
        fill,
        anchor,
      })
    );
  };
  return title(one, two, color.blue, firstRight) + title(two, one, color.orange, !firstRight);
}

function describe(
  evaluation: SteeringEvaluation,
  first: Point[],
  second: Point[],
): { caption: string; alt: string } {
  const [one, two] = choiceNames(evaluation);
  const count = Math.max(0, ...evaluation.twins.map((twin) => twin.count));
  const best = (points: Point[], name: string): string => {
    const top = points.find(({ scale }) => scale === peak(points));
    if (top === undefined) return `No share turned to ${name} is defined.`;
    return `At scale ${scaleText(top.scale)}, ${percent(top.value)} turn to ${name}.`;
  };
  const worst = Math.max(0, ...evaluation.twins.map(({ flipped }) => flipped.value ?? 0));
  return {
    caption:
      `n = ${counted(evaluation.n, "prompt")} in ${counted(evaluation.groups, "group")}. Bands: 95% cluster bootstrap over groups; ` +
      `random twins, 95% interval of the mean over ${counted(count, "direction")} of the same length. ` +
      `Scale multiplies the direction, of length ${signed(evaluation.directionNorm, 2)}, added to the output of layer ${evaluation.layer}.`,
    alt:
      `Share of answers turned by steering at each scale. ${best(first, one)} ${best(second, two)} ` +
      `The mean of ${counted(count, "random direction")} of equal length turns at most ${percent(worst)}.`,
  };
}

/**
 * Dose curve: the share of answers turned to each side by scale, with intervals; random twins of equal length as a flat band;
 * the share of valid answers; and, beneath, the perplexity of neutral text over its value at scale 0. Throws InvalidRequestError for a
 * document that is no steering evaluation, ProbeError `bad_option` for one without choices.
 */
export function plotDoseCurve(given: SteeringEvaluation, options: DoseCurveOptions = {}): Figure {
  const evaluation = checkResult(steeringEvaluationSchema, given, "plotDoseCurve");
  const { width } = checkOptions(figureOptions, options, "plotDoseCurve");
  // Names stand at the ends of the lines where there is room for them, else in a key above.
  const beside = width >= 480;
  const right = beside ? 168 : 12;
  const [one, two] = choiceNames(evaluation);
  const of = (name: string, key: "toFirst" | "toSecond" | "valid"): Point[] =>
    pointsOf(
      name,
      evaluation.scales.map((entry) => ({ scale: entry.scale, estimate: entry[key] })),
    );
  const first = of(`turned to ${one}`, "toFirst");
  const second = of(`turned to ${two}`, "toSecond");
  const valid = of("valid answers", "valid");
  const twins = pointsOf(
    "random twins",
    evaluation.twins.map(({ scale, flipped }) => ({ scale, estimate: flipped })),
  );
  const scales = evaluation.scales.map(({ scale }) => scale);
  const [low, high] = [Math.min(0, ...scales), Math.max(0, ...scales)];
  const domain = low === high ? [-1, 1] : [low, high];
  const names = [`to “${one}”`, `to “${two}”`, "random twins, mean", "valid answers"] as const;
  const key = beside
    ? { body: "", height: 0 }
    : seriesKey(
        [
          { name: names[0], fill: color.blue, shape: "circle", line: true },
          { name: names[1], fill: color.orange, shape: "square", line: true },
          ...(twins.length > 0 ? [{ name: names[2], fill: color.control, line: true }] : []),
          ...(valid.length > 0 ? [{ name: names[3], fill: color.muted, dash: "5 3", line: true }] : []),
        ],
        width,
      );
  const margin = { top: 62 + key.height, right, bottom: 20, left };
  const upper = 290 + key.height;
  const lower = perplexityPanel(evaluation, { width, left, right, domain });
  const panel = plotPanel({
    width,
    height: upper,
    margin,
    x: { type: "linear", domain },
    y: { domain: [0, 1] },
    marks: [
      ...yGrid([0, 0.25, 0.5, 0.75, 1], (value) => `${100 * value}%`),
      ...(lower === undefined ? xAxis(scaleTicks(evaluation, width - left - right), scaleText) : []),
      Plot.ruleX([0], { stroke: color.ink, strokeOpacity: 0.35 }),
      Plot.line(valid, { x: "scale", y: "value", stroke: color.muted, strokeDasharray: "5 3" }),
      Plot.dot(valid, { x: "scale", y: "value", r: 1.5, fill: color.muted, title: "text" }),
      ...band(twins, color.control, "circle", true),
      ...band(second, color.orange, "square"),
      ...band(first, color.blue, "circle"),
    ],
  });
  const x = width - right;
  const end = (points: Point[], text: string, fill: string): EndLabel[] => {
    const last = points.at(-1);
    return last === undefined ? [] : [{ text, y: panel.y(last.value), fill }];
  };
  const labels = [
    ...end(valid, names[3], color.muted),
    ...end(twins, names[2], color.control),
    ...end(first, names[0], color.blue),
    ...end(second, names[1], color.orange),
  ];
  const height = upper + (lower ? perplexityPanelHeight : 30);
  const { caption, alt } = describe(evaluation, first, second);
  const body = [
    panel.body,
    axisTitle("share of answers", 0, 10),
    `<g transform="translate(0,18)">${key.body}</g>`,
    sideTitles(evaluation, first, second, x, key.height),
    beside ? endLabels(labels, { x, width: right, low: margin.top + 2, high: upper - margin.bottom }) : "",
    lower === undefined
      ? ""
      : `<g transform="translate(0,${upper})">${axisTitle("perplexity of neutral text, over its value at scale 0", 0, 12)}${lower.body}</g>`,
    axisTitle("steering scale (0 = not steered)", (left + x) / 2, height - 4, "middle"),
  ].join("");
  return svgFigure({ title: "What the direction does when it is added", caption, alt, width, height, body });
}
