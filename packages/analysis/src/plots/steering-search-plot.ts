import { checkOptions } from "../options/check-options.ts";
import { steeringSearchSchema, type SearchedCell, type SteeringSearch } from "../results/steering-search.ts";
import { cellGrid, type Grid } from "./cell-grid.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { counted, decimals, estimateText, scaleText, signed } from "./plot-format.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";

const two = decimals(2);

const whole = steeringSearchSchema.superRefine(({ directions, scales, cells }, context) => {
  const layers = directions.map(({ layer }) => layer);
  cells.forEach(({ layer, scale }, index) => {
    if (!layers.includes(layer))
      context.addIssue({
        code: "custom",
        path: ["cells", index, "layer"],
        message: `a layer of its directions: ${layers.join(", ")}`,
      });
    if (!scales.includes(scale))
      context.addIssue({
        code: "custom",
        path: ["cells", index, "scale"],
        message: `one of its scales: ${scales.join(", ")}`,
      });
  });
});

function isClear({ gain: { low, high } }: SearchedCell): boolean {
  return low !== null && high !== null && (low > 0 || high < 0);
}

function cellText({ layer, scale, gain, damage, perplexityRatio, kl }: SearchedCell): string {
  const parts = [
    `layer ${layer}, scale ${scaleText(scale)}: gain ${estimateText(gain, two)}`,
    ...(perplexityRatio === null ? [] : [`perplexity ×${signed(perplexityRatio, 2)}`]),
    ...(kl === null ? [] : [`KL ${two(kl)} nats a token`]),
    ...damage.map((words) => `damage: ${words}`),
  ];
  return parts.join("; ");
}

function describe(search: SteeringSearch, grid: Grid): { caption: string; alt: string } {
  const { objective, split, winner, draws, cells, twins } = search;
  const best =
    winner === null
      ? "No undamaged cell gains anything on the half that chooses."
      : `Winner, framed: layer ${winner.layer}, scale ${scaleText(winner.scale)}; its gain on the other half, which took no part in the choice: ${estimateText(winner.gain, two)}.`;
  const chance =
    twins?.p == null
      ? ""
      : ` Random directions of equal length that search the same cells: p = ${decimals(3)(twins.p)}.`;
  return {
    caption:
      `n = ${counted(split.choose.n, "prompt")} in ${counted(split.choose.groups, "group")} choose, ${split.estimate.n.toLocaleString("en")} in ${counted(split.estimate.groups, "group")} estimate. ` +
      `Gain: ${objective.metric}, ${objective.aim === "raise" ? "raised" : "lowered"}. ` +
      (grid.texts ? `Bold: the 95% interval (${counted(draws, "draw")} of whole groups) holds no 0. ` : "") +
      best +
      chance,
    alt: `Gain of steering at ${counted(cells.length, "cell")} of layer and scale; ${cells.filter(({ damage }) => damage.length > 0).length} do damage. ${best}`,
  };
}

/**
 * A search for where and how strongly to steer: the gain of each layer (down) and scale (across) on the half of the prompts that chooses,
 * damaged cells struck through, the winner framed. Throws InvalidRequestError for a document that is no steering search.
 */
export function plotSteeringSearch(search: SteeringSearch, options: FigureOptions = {}): Figure {
  const given = checkResult(whole, search, "plotSteeringSearch");
  const { width } = checkOptions(figureOptions, options, "plotSteeringSearch");
  const layers = [...new Set(given.directions.map(({ layer }) => layer))].sort((a, b) => a - b);
  const scales = [...new Set(given.scales)].sort((a, b) => a - b);
  const most = Math.max(0, ...given.cells.map(({ gain }) => Math.abs(gain.value ?? 0)));
  const grid = cellGrid({
    width,
    rows: layers.map((layer) => ({ label: `layer ${layer}` })),
    columns: scales.map(scaleText),
    names: "thin",
    rowTitle: "steered at",
    columnTitle: "steering scale (0 = not steered)",
    rowHeight: 22,
    columnWidth: 76,
    cells: given.cells.map((cell) => ({
      row: layers.indexOf(cell.layer),
      column: scales.indexOf(cell.scale),
      strength: cell.gain.value === null ? null : most === 0 ? 0 : cell.gain.value / most,
      ...(cell.gain.value === null ? {} : { text: two(cell.gain.value) }),
      bold: isClear(cell),
      struck: cell.damage.length > 0,
      framed: cell.layer === given.winner?.layer && cell.scale === given.winner.scale,
      title: cellText(cell),
    })),
    key: {
      low: two(-most),
      middle: "0",
      high: two(most),
      text: "Gain on the half that chooses. Struck through: damage, or not defined. Empty: not tried.",
    },
  });
  return svgFigure({
    title: "Where, and how strongly, to steer",
    ...describe(given, grid),
    width,
    height: grid.height,
    body: grid.body,
  });
}
