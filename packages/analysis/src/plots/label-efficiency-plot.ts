import * as Plot from "@observablehq/plot";
import { checkOptions } from "../options/check-options.ts";
import { labelEfficiencySchema, type LabelEfficiency } from "../results/label-efficiency.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { fittingTicks } from "./fitting-ticks.ts";
import { color } from "./palette.ts";
import { chanceScore, counted, decimals, estimateText, probeText, scoreText, signed } from "./plot-format.ts";
import { axisTitle } from "./plot-labels.ts";
import { plotPanel, xAxis, yGrid } from "./plot-panel.ts";
import { scoreTicks } from "./score-ticks.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { svgMarker } from "./svg-shapes.ts";
import { fitText } from "./svg-text.ts";

const three = decimals(3);
const margin = { top: 30, right: 16, bottom: 44, left: 36 };
const height = 300;

const short = (value: number): string => signed(Math.round(10 * value) / 10);

function pointText({ groups, rows, score }: LabelEfficiency["points"][number]): string {
  return `${short(groups)} groups (${short(rows)} rows): ${estimateText(score, three)}`;
}

function describe(result: LabelEfficiency): { caption: string; alt: string } {
  const { n, groups, folds, repeats, layer, probe, points, label } = result;
  const [first, last] = [points[0], points.at(-1)];
  return {
    caption:
      `n = ${counted(n, "row")} in ${counted(groups, "group")}. Probe: ${probeText(probe)} at layer ${layer}, its choice of strength included; ` +
      `${folds} outer folds. Band: the middle 95% of ${counted(repeats, "repeat")}, each with other groups labelled.`,
    alt:
      `${scoreText(result.score)} of ${label} by the number of labelled groups.` +
      (first === undefined ? "" : ` With ${pointText(first)}.`) +
      (last === undefined || last === first ? "" : ` With ${pointText(last)}.`),
  };
}

/**
 * Label efficiency: the held-out score by how many groups were labelled, with the spread over which ones. Throws InvalidRequestError for a
 * document that is no label efficiency.
 */
export function plotLabelEfficiency(result: LabelEfficiency, options: FigureOptions = {}): Figure {
  const given = checkResult(labelEfficiencySchema, result, "plotLabelEfficiency");
  const { width } = checkOptions(figureOptions, options, "plotLabelEfficiency");
  const chance = chanceScore(given.score);
  const points = given.points
    .flatMap((point) => {
      const { value, low, high } = point.score;
      if (value === null) return [];
      return [
        { groups: point.groups, value, low: low ?? value, high: high ?? value, text: pointText(point) },
      ];
    })
    .sort((a, b) => a.groups - b.groups);
  const groups = points.map((point) => point.groups);
  const [least, most] = groups.length === 0 ? [0, 1] : [Math.min(...groups), Math.max(...groups)];
  // Doublings lie evenly: what the next label is worth falls with each one.
  const log = least > 0 && most / least >= 8;
  // Taken here: Plot's own logarithmic axis hides numbers between powers of ten.
  const along = (value: number): number => (log ? Math.log(value) : value);
  const back = (value: number): number => (log ? Math.exp(value) : value);
  const domain = least === most ? [least * 0.5, most * 1.5 + 1] : [along(least), along(most)];
  const { floor, ticks } = scoreTicks(Math.min(chance - 0.1, ...points.map(({ low }) => low)));
  const inner = width - margin.left - margin.right;
  const [from = 0, to = 1] = domain;
  const place = (value: number): number => (inner * (value - from)) / (to - from);
  const name = (value: number): string => short(back(value));
  const places = groups.map(along);
  const panel = plotPanel({
    width,
    height,
    margin,
    x: { type: "linear", domain },
    y: { domain: [floor, 1], clamp: true },
    marks: [
      ...yGrid(ticks, decimals(1)),
      ...xAxis(fittingTicks([...places.slice(-1), ...places], place, name), name),
      Plot.ruleY([chance], { stroke: color.control, strokeDasharray: "5 4" }),
      Plot.areaY(points, {
        x: (point: { groups: number }) => along(point.groups),
        y1: "low",
        y2: "high",
        fill: color.blue,
        fillOpacity: 0.18,
      }),
      Plot.ruleX(points, {
        x: (point: { groups: number }) => along(point.groups),
        y1: "low",
        y2: "high",
        stroke: color.blue,
        strokeOpacity: 0.5,
      }),
      Plot.line(points, {
        x: (point: { groups: number }) => along(point.groups),
        y: "value",
        stroke: color.blue,
        strokeWidth: 2,
      }),
    ],
  });
  const dots = points.map(({ groups: at, value, text }) =>
    svgMarker("circle", panel.x(along(at)), panel.y(value), 3.5, { fill: color.blue, title: text }),
  );
  const measured = `${scoreText(given.score)} on held-out groups (dashed: ${chance}, chance)`;
  const body = [
    panel.body,
    ...dots,
    axisTitle(fitText(measured, width, 11), 0, 12),
    axisTitle(
      `labelled groups in training${log ? " (logarithmic)" : ""}`,
      margin.left + inner / 2,
      height - 6,
      "middle",
    ),
  ].join("");
  return svgFigure({
    title: `How many labels does “${given.label}” need?`,
    ...describe(given),
    width,
    height,
    body,
  });
}
