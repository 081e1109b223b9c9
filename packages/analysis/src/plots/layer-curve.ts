import * as Plot from "@observablehq/plot";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { color } from "./palette.ts";
import { chanceScore, counted, decimals, estimateText, probeText, scoreText } from "./plot-format.ts";
import { axisTitle, endLabels, type EndLabel } from "./plot-labels.ts";
import { plotPanel, xAxis, yGrid } from "./plot-panel.ts";
import { estimateSchema, type Estimate } from "../results/estimate.ts";
import { layerSweepSchema, type LayerSweep } from "../results/layer-sweep.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { round, svgText, textWidth } from "./svg-text.ts";

/** A curve from elsewhere to lay over the sweep: a direction from training groups, scored on groups kept apart, say. */
export interface ExtraCurve {
  name: string;
  layers: { layer: number; auroc: Estimate }[];
}

export interface LayerCurveOptions extends FigureOptions {
  extra?: ExtraCurve;
}

const curveOptions = figureOptions.extend({
  extra: z
    .object({
      name: z.string(),
      layers: z.array(z.object({ layer: z.int().min(-1), auroc: estimateSchema })),
    })
    .optional(),
});

interface Series {
  name: string;
  stroke: string;
  dash?: string;
  quiet?: boolean;
  points: { layer: number; value: number; low: number; high: number; text: string }[];
}

const score = decimals(3);
const margin = { top: 44, right: 152, bottom: 44, left: 36 };

function series(name: string, stroke: string, estimates: { layer: number; estimate: Estimate }[]): Series {
  const points = estimates.flatMap(({ layer, estimate }) => {
    const { value, low, high } = estimate;
    if (value === null) return [];
    return [
      {
        layer,
        value,
        low: low ?? value,
        high: high ?? value,
        text: `${name}, layer ${layer}: ${estimateText(estimate, score)}`,
      },
    ];
  });
  return { name, stroke, points };
}

function sweepSeries(sweep: LayerSweep, extra: ExtraCurve | undefined): Series[] {
  const names = [...new Set(sweep.layers.flatMap(({ probes }) => probes.map(({ probe }) => probe)))];
  const strokes = [color.blue, color.orange];
  const probes = names.map((probe, index) =>
    series(
      probeText(probe),
      strokes[index] ?? color.purple,
      sweep.layers.flatMap(({ layer, probes }) =>
        probes.filter((entry) => entry.probe === probe).map(({ score: own }) => ({ layer, estimate: own })),
      ),
    ),
  );
  const control = (name: string, key: "shuffledLabels" | "randomDirection", dash: string): Series => ({
    ...series(
      name,
      color.control,
      sweep.layers.map(({ layer, controls }) => ({ layer, estimate: controls[key] })),
    ),
    dash,
    quiet: true,
  });
  const overlay = extra?.layers.map(({ layer, auroc }) => ({ layer, estimate: auroc }));
  return [
    control("random directions", "randomDirection", "5 3"),
    control("shuffled labels", "shuffledLabels", "1.5 2.5"),
    ...probes,
    ...(extra && overlay ? [series(extra.name, color.green, overlay)] : []),
  ].filter(({ points }) => points.length > 0);
}

function seriesMarks({ stroke, dash, quiet, points }: Series): Plot.Markish[] {
  const line = { x: "layer", y: "value", stroke, strokeWidth: quiet ? 1.25 : 2 };
  return [
    Plot.areaY(points, { x: "layer", y1: "low", y2: "high", fill: stroke, fillOpacity: quiet ? 0.11 : 0.16 }),
    // A band of one layer has no area: draw its interval as a line.
    ...(points.length === 1 ? [Plot.ruleX(points, { x: "layer", y1: "low", y2: "high", stroke })] : []),
    Plot.line(points, dash === undefined ? line : { ...line, strokeDasharray: dash }),
    Plot.dot(points, { x: "layer", y: "value", r: quiet ? 1.5 : 3, fill: stroke, title: "text" }),
  ];
}

/** At most about 12 layers named on the axis, first and last among them where they fit. */
function layerTicks(layers: number[]): number[] {
  const step = Math.ceil(layers.length / 12);
  return layers.filter((_, index) => index % step === 0);
}

function chosenText(sweep: LayerSweep): string {
  const { layer, probe } = sweep.chosen;
  return `chosen on inner folds: layer ${layer}, ${probeText(probe)}`;
}

function describe(sweep: LayerSweep, drawn: Series[]): { caption: string; alt: string } {
  const { chosen, n, groups, group } = sweep;
  const at = sweep.layers.find(({ layer }) => layer === chosen.layer);
  const control =
    at === undefined ? "" : ` With shuffled labels: ${estimateText(at.controls.shuffledLabels, score)}.`;
  const outer = estimateText(chosen.outerScore, score);
  const alt =
    `${scoreText(sweep.score)} of ${sweep.label} by layer, ${drawn.map(({ name }) => name).join(", ")}. ` +
    `The chosen layer is ${chosen.layer}; on rows that took no part in the choice the score is ${outer}.${control}`;
  const caption =
    `n = ${counted(n, "row")} in ${counted(groups, "group")} (by ${group}), ${sweep.folds} folds that never split a group. ` +
    `Bands: probes, 95% cluster bootstrap over groups; shuffled labels, 95% range of ${counted(sweep.shuffles, "shuffle")}; ` +
    `random directions, 95% range of ${counted(sweep.randomDirections, "direction")}. ` +
    `Chosen layer scored on outer folds: ${outer}.`;
  return { caption, alt };
}

/**
 * The score (AUROC, macro AUROC or R²) by layer: each probe with its interval, the shuffled-label and random-direction controls as quiet bands, chance as a
 * line, the chosen layer marked. Layer L is the output of decoder block L, counted from 0.
 * Throws InvalidRequestError for a document that is no layer sweep.
 */
export function plotLayerCurve(given: LayerSweep, options: LayerCurveOptions = {}): Figure {
  const sweep = checkResult(layerSweepSchema, given, "plotLayerCurve");
  const { width, extra } = checkOptions(curveOptions, options, "plotLayerCurve");
  const height = 330;
  const drawn = sweepSeries(sweep, extra);
  const layers = sweep.layers.map(({ layer }) => layer);
  const chance = chanceScore(sweep.score);
  const name = scoreText(sweep.score);
  const lowest = Math.min(chance - 0.1, ...drawn.flatMap(({ points }) => points.map(({ low }) => low)));
  const floor = Math.floor(lowest * 10) / 10;
  const ticks = Array.from({ length: Math.round((1 - floor) * 10) + 1 }, (_, index) =>
    round(floor + index / 10),
  );
  const [first = 0, last = 0] = [Math.min(...layers), Math.max(...layers)];
  const domain = first === last ? [first - 1, last + 1] : [first, last];
  const chosen = drawn
    .find(({ name }) => name === probeText(sweep.chosen.probe))
    ?.points.filter(({ layer }) => layer === sweep.chosen.layer);
  const panel = plotPanel({
    width,
    height,
    margin,
    x: { type: "linear", domain },
    y: { domain: [floor, 1] },
    marks: [
      ...yGrid(ticks, decimals(1)),
      ...xAxis(layerTicks(layers), String),
      Plot.ruleX([sweep.chosen.layer], { stroke: color.ink, strokeOpacity: 0.35 }),
      Plot.ruleY([chance], { stroke: color.ink, strokeWidth: 1 }),
      ...drawn.flatMap(seriesMarks),
      Plot.dot(chosen ?? [], { x: "layer", y: "value", r: 6.5, stroke: color.ink, strokeWidth: 1.5 }),
    ],
  });
  const right = width - margin.right;
  const labels: EndLabel[] = [
    { text: `chance, ${chance}`, y: panel.y(chance), fill: color.ink },
    ...drawn.map(({ name, stroke, quiet, points }): EndLabel => {
      const end = points.at(-1)?.value ?? chance;
      return { text: name, y: panel.y(end), fill: stroke, weight: quiet ? 400 : 600 };
    }),
  ];
  const { caption, alt } = describe(sweep, drawn);
  const choice = chosenText(sweep);
  const half = textWidth(choice, 11) / 2;
  const nameX = Math.min(Math.max(panel.x(sweep.chosen.layer), margin.left + half), width - half);
  const body = [
    panel.body,
    axisTitle(`${name} (${chance} = no better than chance, 1 = perfect)`, 0, 10),
    svgText(choice, nameX, margin.top - 11, { anchor: "middle" }),
    endLabels(labels, {
      x: right,
      width: margin.right,
      low: margin.top + 4,
      high: height - margin.bottom - 4,
    }),
    axisTitle("layer (output of decoder block, from 0)", (margin.left + right) / 2, height - 6, "middle"),
  ].join("");
  return svgFigure({
    title: `Where “${sweep.label}” can be read, layer by layer`,
    caption,
    alt,
    width,
    height,
    body,
  });
}
