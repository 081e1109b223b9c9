import { checkOptions } from "../options/check-options.ts";
import type { Estimate } from "../results/estimate.ts";
import { layerSweepSchema, type LayerSweep, type SweepRival } from "../results/layer-sweep.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { color } from "./palette.ts";
import { chanceScore, counted, decimals, estimateText, probeText, scoreText } from "./plot-format.ts";
import { axisTitle } from "./plot-labels.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { svgLine, svgMarker } from "./svg-shapes.ts";
import { fitText, round, svgText, textWidth } from "./svg-text.ts";

interface Row {
  name: string;
  estimate: Estimate;
  /** How much higher the chosen probe scores; none for itself and for controls that are compared by draws. */
  gain?: Estimate;
  /** What was fitted, in words. */
  how?: string;
  chosen?: boolean;
}

const two = decimals(2);
const three = decimals(3);

function floorName(layer: number | null): string {
  if (layer === null) return "the lowest layer";
  return layer === -1 ? "token embeddings" : `layer ${layer}, the lowest`;
}

function rowsOf(sweep: LayerSweep): Row[] {
  const { chosen, controls, tokenFilter } = sweep;
  const at = sweep.layers.find(({ layer }) => layer === chosen.layer)?.controls;
  const { promptLength, bagOfTokens, floor, randomFeatures } = controls;
  const rival = (name: string, { score, gain, how }: SweepRival): Row => ({
    name,
    estimate: score,
    gain,
    how,
  });
  return [
    { name: `${probeText(chosen.probe)}, layer ${chosen.layer}`, estimate: chosen.outerScore, chosen: true },
    rival("length of the prompt", promptLength),
    rival("which tokens it has", bagOfTokens),
    rival(floorName(floor.layer), floor),
    rival("random features", randomFeatures),
    ...(at === undefined
      ? []
      : [
          { name: "shuffled labels", estimate: at.shuffledLabels },
          { name: "random directions", estimate: at.randomDirection },
          { name: "control task", estimate: at.controlTask },
        ]),
    ...(tokenFilter === undefined ? [] : [{ name: "without telling tokens", estimate: tokenFilter.without }]),
  ];
}

type Wording = (row: Row) => string;

/** From the fullest to the shortest. */
const wordings: readonly [Wording, ...Wording[]] = [
  (row) =>
    `${row.name}: ${estimateText(row.estimate, three)}${lessBy(row, (gain) => estimateText(gain, three))}`,
  (row) =>
    `${row.name}: ${estimateText(row.estimate, three)}${lessBy(row, ({ value }) => three(value ?? 0))}`,
  ({ name, estimate }) => `${name}: ${estimateText(estimate, three)}`,
  ({ name, estimate }) => `${name}: ${estimateText(estimate, two)}`,
];

function lessBy({ gain }: Row, text: (gain: Estimate) => string): string {
  return gain === undefined || gain.value === null ? "" : `, less by ${text(gain)}`;
}

/** The fullest wording for which every row finds room; some reasons find it nowhere, and are cut. */
function wordingFor(rows: Row[], width: number): Wording {
  const fits = (wording: Wording): boolean =>
    rows.every((row) => textWidth(wording(row), 11, row.chosen === true ? 600 : 400) <= width);
  return wordings.find(fits) ?? wordings[3] ?? wordings[0];
}

function describe(sweep: LayerSweep, rows: Row[], gains: boolean): { caption: string; alt: string } {
  const { n, groups, verdict } = sweep;
  return {
    caption:
      `${verdict.text} n = ${counted(n, "row")} in ${counted(groups, "group")}. Lines: 95% intervals over groups; of random features, shuffled labels, random directions and the control task, ` +
      `95% ranges of draws. ${gains ? "“Less by”: how much higher the chosen probe scores on the same rows. " : ""}`.trimEnd(),
    alt:
      `The chosen probe beside what could explain its ${scoreText(sweep.score)}. ` +
      rows.map(({ name, estimate }) => `${name}: ${estimateText(estimate, three)}.`).join(" "),
  };
}

/**
 * What could explain the chosen layer's score without its rows: the score beside its rivals and controls, each with its interval, on one
 * axis. Throws InvalidRequestError for a document that is no layer sweep.
 */
export function plotSweepControls(sweep: LayerSweep, options: FigureOptions = {}): Figure {
  const given = checkResult(layerSweepSchema, sweep, "plotSweepControls");
  const { width } = checkOptions(figureOptions, options, "plotSweepControls");
  const rows = rowsOf(given);
  const chance = chanceScore(given.score);
  const ends = rows.flatMap(({ estimate: { value, low } }) => (value === null ? [] : [low ?? value]));
  const floor = Math.max(-1, Math.floor(10 * Math.min(chance - 0.1, ...ends)) / 10);
  const [left, right] = [14, width - 14];
  const x = (value: number): number =>
    left + ((Math.max(floor, value) - floor) / (1 - floor)) * (right - left);
  const each = 36;
  const top = 22;
  const foot = top + rows.length * each + 4;
  const step = (1 - floor) / (right - left) > 0.0025 ? 0.25 : 0.1;
  const ticks: number[] = [];
  for (let tick = 1; tick >= floor - 1e-9; tick -= step) ticks.push(round(tick));
  const grid = ticks.map(
    (tick) =>
      svgLine([x(tick), foot], [x(tick), foot + 4], { stroke: color.control }) +
      svgText(two(tick), x(tick), foot + 16, { fill: color.muted, anchor: "middle" }),
  );
  const wording = wordingFor(rows, width);
  const drawn = rows.map((row, index) => {
    const { estimate, chosen = false } = row;
    const [y, tone] = [top + index * each, chosen ? color.blue : color.control];
    const middle = y + 24;
    const { value, low, high } = estimate;
    const text = wording(row);
    const parts = [
      svgText(fitText(text, width, 11, chosen ? 600 : 400), 0, y + 11, {
        fill: chosen ? color.blue : color.ink,
        weight: chosen ? 600 : 400,
      }),
      svgLine([left, middle], [right, middle], { stroke: color.grid }),
      // Chance as pieces a row, so that they strike out no word.
      svgLine([x(chance), middle - 6], [x(chance), middle + 6], { stroke: color.ink, dash: "2 2" }),
    ];
    if (low !== null && high !== null)
      parts.push(
        svgLine([x(low), middle], [x(high), middle], { stroke: tone, strokeWidth: 4, strokeOpacity: 0.55 }),
      );
    if (value !== null)
      parts.push(
        svgMarker(chosen ? "circle" : "diamond", x(value), middle, 4.5, {
          fill: tone,
          title: `${wordings[0](row)}${row.how === undefined ? "" : `; fitted: ${row.how}`}`,
        }),
      );
    return parts.join("");
  });
  const axis = `${scoreText(given.score)} (dashed: ${chance}, chance)`;
  const body = [axisTitle(axis, 0, 12), ...drawn, ...grid].join("");
  return svgFigure({
    title: `Could something else explain “${given.label}”?`,
    ...describe(given, rows, wordings.indexOf(wording) < 2),
    width,
    height: foot + 24,
    body,
  });
}
