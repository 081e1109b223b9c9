import * as Plot from "@observablehq/plot";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { estimateSchema } from "../results/estimate.ts";
import { layerSweepSchema, type LayerSweep } from "../results/layer-sweep.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { controlTask, seriesMarks, sweepSeries, type ExtraCurve, type LayerSeries } from "./layer-series.ts";
import { color } from "./palette.ts";
import { chanceScore, counted, decimals, estimateText, probeText, scoreText } from "./plot-format.ts";
import { axisTitle, endLabels, type EndLabel } from "./plot-labels.ts";
import { plotPanel, xAxis, yGrid } from "./plot-panel.ts";
import { scoreTicks } from "./score-ticks.ts";
import { seriesKey } from "./series-key.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { svgMarker } from "./svg-shapes.ts";
import { fitText, svgText, textWidth } from "./svg-text.ts";

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

const score = decimals(3);

/** At most about 12 layers named on the axis, fewer where it is short. */
function layerTicks(layers: number[], width: number): number[] {
  const step = Math.ceil(layers.length / Math.min(12, width / 26));
  return layers.filter((_, index) => index % step === 0);
}

function describe(sweep: LayerSweep, drawn: LayerSeries[]): { caption: string; alt: string } {
  const { chosen, n, groups, group } = sweep;
  const at = sweep.layers.find(({ layer }) => layer === chosen.layer);
  const control =
    at === undefined ? "" : ` With shuffled labels: ${estimateText(at.controls.shuffledLabels, score)}.`;
  const outer = estimateText(chosen.outerScore, score);
  const { correctedP, shuffles } = chosen.permutation;
  return {
    caption:
      `n = ${counted(n, "row")} in ${counted(groups, "group")} (by ${group}), ${sweep.folds} folds that never split a group. ` +
      `Bands: probes, 95% cluster bootstrap over groups; shuffled labels, 95% range of ${counted(sweep.shuffles, "shuffle")}; ` +
      `random directions, 95% range of ${counted(sweep.randomDirections, "direction")}` +
      (drawn.some(({ name }) => name === controlTask)
        ? "; control task (a random label for each kind of token), 95% range of its labellings. "
        : ". ") +
      `Chosen layer scored on outer folds: ${outer}` +
      (correctedP === null
        ? "."
        : `; p = ${score(correctedP)} against the best layer of each of ${counted(shuffles, "shuffle")}.`) +
      (drawn.some(({ points }) => points.some(({ low }) => low < -1)) ? " Below −1 is drawn at −1." : ""),
    alt:
      `${scoreText(sweep.score)} of ${sweep.label} by layer: ${drawn.map(({ name }) => name).join(", ")}. ` +
      `The chosen layer is ${chosen.layer}; on rows that took no part in the choice the score is ${outer}.${control}`,
  };
}

/**
 * The score (AUROC, macro AUROC or R²) by layer: each probe with its interval, the controls (shuffled labels, random directions, control task)
 * as quiet bands, chance as a line, the chosen layer marked. Layer L is the output of decoder block L, counted from 0. Throws
 * InvalidRequestError for a document that is no layer sweep.
 */
export function plotLayerCurve(given: LayerSweep, options: LayerCurveOptions = {}): Figure {
  const sweep = checkResult(layerSweepSchema, given, "plotLayerCurve");
  const { width, extra } = checkOptions(curveOptions, options, "plotLayerCurve");
  const drawn = sweepSeries(sweep, extra);
  // Names stand at the ends of the lines where there is room for them, else in a key above.
  const beside = width >= 480;
  const key = beside
    ? { body: "", height: 0 }
    : seriesKey(
        [...drawn.filter(({ shape }) => shape), ...drawn.filter(({ shape }) => !shape)].map(
          ({ name, stroke, dash, shape }) => ({ name, fill: stroke, dash, shape, line: true }),
        ),
        width,
      );
  const margin = { top: 44 + key.height, right: beside ? 168 : 10, bottom: 44, left: 36 };
  const height = margin.top + Math.max(242, beside ? 14 * drawn.length + 30 : 0) + margin.bottom;
  const layers = sweep.layers.map(({ layer }) => layer).sort((a, b) => a - b);
  const chance = chanceScore(sweep.score);
  const lowest = Math.min(chance - 0.1, ...drawn.flatMap(({ points }) => points.map(({ low }) => low)));
  const { floor, ticks } = scoreTicks(lowest);
  const [first = 0, last = 0] = [layers[0], layers.at(-1)];
  const domain = first === last ? [first - 1, last + 1] : [first, last];
  const right = width - margin.right;
  const chosen = drawn
    .find(({ name }) => name === probeText(sweep.chosen.probe))
    ?.points.find(({ layer }) => layer === sweep.chosen.layer);
  const panel = plotPanel({
    width,
    height,
    margin,
    x: { type: "linear", domain },
    y: { domain: [floor, 1], clamp: true },
    marks: [
      ...yGrid(ticks, decimals(1)),
      ...xAxis(layerTicks(layers, right - margin.left), String),
      Plot.ruleX([sweep.chosen.layer], { stroke: color.ink, strokeOpacity: 0.35 }),
      Plot.ruleY([chance], { stroke: color.ink, strokeWidth: 1 }),
      ...drawn.flatMap(seriesMarks),
    ],
  });
  // Marks that touch would be a thick line: of deep models every few layers have one, each tells its numbers on hover.
  const every = Math.ceil((14 * layers.length) / (right - margin.left));
  const dots = drawn.flatMap(({ shape, stroke, points }) =>
    points.map(({ layer, value, text }, index) => {
      if (shape === undefined) return "";
      const unseen = index % every === 0 ? {} : { fillOpacity: 0 };
      return svgMarker(shape, panel.x(layer), panel.y(value), 3.5, { fill: stroke, title: text, ...unseen });
    }),
  );
  const ring =
    chosen === undefined
      ? ""
      : svgMarker("circle", panel.x(chosen.layer), panel.y(chosen.value), 7, {
          stroke: color.ink,
          strokeWidth: 1.5,
        });
  const labels: EndLabel[] = [
    { text: `chance, ${chance}`, y: panel.y(chance), fill: color.ink },
    ...drawn.map(({ name, stroke, shape, points }): EndLabel => {
      const end = points.at(-1)?.value ?? chance;
      return { text: name, y: panel.y(end), fill: stroke, weight: shape === undefined ? 400 : 600 };
    }),
  ];
  const choice = fitText(
    `chosen on inner folds: layer ${sweep.chosen.layer}, ${probeText(sweep.chosen.probe)}`,
    width,
    11,
  );
  const half = textWidth(choice, 11) / 2;
  const nameX = Math.min(Math.max(panel.x(sweep.chosen.layer), half), width - half);
  const axis = beside ? "layer (output of decoder block, from 0)" : "layer (block output, from 0)";
  const name = `${scoreText(sweep.score)} (${chance} = no better than chance, 1 = perfect)`;
  const body = [
    `<g transform="translate(0,18)">${key.body}</g>`,
    panel.body,
    ...dots,
    ring,
    axisTitle(fitText(name, width, 11), 0, 10),
    svgText(choice, nameX, margin.top - 11, { anchor: "middle" }),
    beside
      ? endLabels(labels, {
          x: right,
          width: margin.right,
          low: margin.top + 4,
          high: height - margin.bottom - 4,
        })
      : "",
    axisTitle(axis, (margin.left + right) / 2, height - 6, "middle"),
  ].join("");
  return svgFigure({
    title: `Where “${sweep.label}” can be read, layer by layer`,
    ...describe(sweep, drawn),
    width,
    height,
    body,
  });
}
