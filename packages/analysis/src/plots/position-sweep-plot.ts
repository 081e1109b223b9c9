import { checkOptions } from "../options/check-options.ts";
import { positionSweepSchema, type PositionSweep } from "../results/position-sweep.ts";
import { cellGrid, type Grid } from "./cell-grid.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { counted, decimals, estimateText, probeText, signed } from "./plot-format.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { visibleToken } from "./visible-token.ts";

const two = decimals(2);

const whole = positionSweepSchema.superRefine(({ layers, positions, cells }, context) => {
  cells.forEach(({ layer, position }, index) => {
    if (!layers.includes(layer))
      context.addIssue({
        code: "custom",
        path: ["cells", index, "layer"],
        message: `one of its layers: ${layers.join(", ")}`,
      });
    if (!positions.includes(position))
      context.addIssue({
        code: "custom",
        path: ["cells", index, "position"],
        message: `one of its positions: ${positions.join(", ")}`,
      });
  });
});

type Cell = PositionSweep["cells"][number];

/** Held-out scores wholly below chance are no finding: folds that differ bring them about. */
function isClear({ score: { low } }: Cell): boolean {
  return low !== null && low > 0.5;
}

function placeText({ position, token, layer }: Cell): string {
  return `layer ${layer}, position ${signed(position)}${token === null ? "" : ` (“${visibleToken(token)}”)`}`;
}

function describe(sweep: PositionSweep, grid: Grid): { caption: string; alt: string } {
  const { n, groups, group, folds, probe, draws, label, from, cells, positive } = sweep;
  const best = cells.reduce<Cell | undefined>(
    (most, cell) => ((cell.score.value ?? -1) > (most?.score.value ?? -1) ? cell : most),
    undefined,
  );
  const clear = cells.filter(isClear).length;
  return {
    caption:
      `n = ${counted(n, "example")} in ${counted(groups, "group")} (by ${group}). Probe: ${probeText(probe)}, ` +
      `${folds} folds that never split a group; the positive class is “${String(positive)}”. ` +
      `Positions are counted from the ${from === "start" ? "first token, 0" : "last row of each example, −1"}. ` +
      `${grid.hover ? "On hover" : "In its table"}: 95% intervals, ${counted(draws, "draw")} of whole groups.` +
      (grid.texts ? " Bold: that interval lies wholly above 0.5." : ""),
    alt:
      `AUROC of ${label} at each layer and position; in ${clear} of ${counted(cells.length, "cell")} the interval lies wholly above chance.` +
      (best === undefined
        ? " No cell is defined."
        : ` Highest, as the best of many flattered: ${placeText(best)}, ${estimateText(best.score, two)}.`),
  };
}

/**
 * Where in the prompt, and at which layer, a label can be read: AUROC by position (down) and layer (across), cross-validated. Throws
 * InvalidRequestError for a document that is no position sweep.
 */
export function plotPositionSweep(sweep: PositionSweep, options: FigureOptions = {}): Figure {
  const given = checkResult(whole, sweep, "plotPositionSweep");
  const { width } = checkOptions(figureOptions, options, "plotPositionSweep");
  const positions = [...new Set(given.positions)].sort((a, b) => a - b);
  const layers = [...new Set(given.layers)].sort((a, b) => a - b);
  const tokens = new Map(given.cells.map(({ position, token }) => [position, token]));
  const grid = cellGrid({
    width,
    rows: positions.map((position) => {
      const token = tokens.get(position) ?? null;
      return {
        number: signed(position),
        label: token === null ? "varies" : visibleToken(token),
        quiet: token === null,
      };
    }),
    columns: layers.map(String),
    names: "thin",
    rowTitle: "position, token",
    columnTitle: "layer (output of decoder block, from 0)",
    rowHeight: 18,
    columnWidth: 76,
    cells: given.cells.map((cell) => ({
      row: positions.indexOf(cell.position),
      column: layers.indexOf(cell.layer),
      strength: cell.score.value === null ? null : 2 * cell.score.value - 1,
      ...(cell.score.value === null ? {} : { text: two(cell.score.value) }),
      bold: isClear(cell),
      title: `${placeText(cell)}: AUROC ${estimateText(cell.score, decimals(3))}`,
    })),
    key: {
      low: "0",
      middle: "0.5",
      high: "1",
      text: "AUROC: blue above chance, orange below it. Struck through: not defined.",
    },
  });
  return svgFigure({
    title: `Where “${given.label}” can be read: position and layer`,
    ...describe(given, grid),
    width,
    height: grid.height,
    body: grid.body,
  });
}
