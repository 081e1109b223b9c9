import { checkOptions } from "../options/check-options.ts";
import type { Estimate } from "../results/estimate.ts";
import { transferMatrixSchema, type TransferCell, type TransferMatrix } from "../results/transfer-matrix.ts";
import { cellGrid, type Grid } from "./cell-grid.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { chanceScore, counted, decimals, estimateText, probeText, scoreText } from "./plot-format.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";

const score = decimals(2);

const whole = transferMatrixSchema.superRefine(({ datasets, cells }, context) => {
  const names = datasets.map(({ name }) => name);
  cells.forEach(({ train, test }, index) => {
    for (const [field, name] of [
      ["train", train],
      ["test", test],
    ] as const)
      if (!names.includes(name))
        context.addIssue({
          code: "custom",
          path: ["cells", index, field],
          message: `the name of one of its datasets: ${names.join(", ")}`,
        });
  });
});

/** Away from chance: the whole interval lies on one side of it. */
function clear({ low, high }: Estimate, chance: number): boolean {
  return low !== null && high !== null && (low > chance || high < chance);
}

function span(values: number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high
    ? low.toLocaleString("en")
    : `${low.toLocaleString("en")} to ${high.toLocaleString("en")}`;
}

function describe(matrix: TransferMatrix, grid: Grid): { caption: string; alt: string } {
  const { cells, datasets, label, layer, draws, folds, probe } = matrix;
  const name = scoreText(matrix.score);
  const defined = (on: boolean) =>
    cells.flatMap(({ diagonal, score: { value } }) => (diagonal === on && value !== null ? [value] : []));
  const reach = (values: number[]): string =>
    values.length === 0
      ? "nowhere defined"
      : `${score(Math.min(...values))} to ${score(Math.max(...values))}`;
  const best = (order: 1 | -1): TransferCell | undefined =>
    cells
      .filter((cell) => !cell.diagonal && cell.score.value !== null)
      .sort((a, b) => order * ((b.score.value ?? 0) - (a.score.value ?? 0)))[0];
  const of = (words: string, cell: TransferCell | undefined): string =>
    cell === undefined
      ? ""
      : ` ${words}: from ${cell.train} to ${cell.test}, ${estimateText(cell.score, score)}.`;
  return {
    caption:
      `n = ${span(datasets.map(({ n }) => n))} rows in ${span(datasets.map(({ groups }) => groups))} groups a dataset. ` +
      `Probe: ${probeText(probe)} at layer ${layer}, fitted on the dataset of the row, scored on that of the column. ` +
      `Framed: the same dataset, held out in ${counted(folds, "fold")}. ` +
      `${grid.notes ? "Small" : grid.hover ? "On hover" : "In its table"}: the 95% interval, ${counted(draws, "draw")} of whole groups of the dataset scored on, the probe as fitted.` +
      (grid.texts ? ` Bold: that interval lies wholly on one side of ${chanceScore(matrix.score)}.` : ""),
    alt:
      `${name} of ${label} for every pair of ${counted(datasets.length, "dataset")}. On the same dataset ${reach(defined(true))}; ` +
      `on another one ${reach(defined(false))}.${of("Best transfer", best(1))}${of("Worst", best(-1))}`,
  };
}

/**
 * Transfer matrix: the probe of each dataset (row) scored on every dataset (column), with intervals where they find room. Bold: the interval
 * does not hold chance. Throws InvalidRequestError for a document that is no transfer matrix.
 */
export function plotTransferMatrix(matrix: TransferMatrix, options: FigureOptions = {}): Figure {
  const given = checkResult(whole, matrix, "plotTransferMatrix");
  const { width } = checkOptions(figureOptions, options, "plotTransferMatrix");
  const { datasets } = given;
  const chance = chanceScore(given.score);
  const name = scoreText(given.score);
  const place = new Map(datasets.map((dataset, index) => [dataset.name, index]));
  const grid = cellGrid({
    width,
    rows: datasets.map(({ name: label, n, groups }) => ({
      label,
      note: `${counted(n, "row")}, ${counted(groups, "group")}`,
    })),
    columns: datasets.map(({ name: label }) => label),
    names: "turn",
    rowTitle: "fitted on",
    columnTitle: "scored on",
    rowHeight: datasets.length <= 14 ? 36 : 18,
    columnWidth: 120,
    cells: given.cells.map((cell) => ({
      row: place.get(cell.train) ?? 0,
      column: place.get(cell.test) ?? 0,
      strength: cell.score.value === null ? null : Math.max(-1, (cell.score.value - chance) / (1 - chance)),
      ...(cell.score.value === null ? {} : { text: score(cell.score.value) }),
      ...(cell.score.low === null || cell.score.high === null
        ? {}
        : { note: `${score(cell.score.low)} to ${score(cell.score.high)}` }),
      bold: clear(cell.score, chance),
      framed: cell.diagonal,
      title:
        `fitted on ${cell.train} (${counted(cell.trained, "row")}${cell.leftOut > 0 ? `, ${cell.leftOut} left out` : ""}), ` +
        `scored on ${cell.test}${cell.diagonal ? ", held out" : ""}: ${name} ${estimateText(cell.score, decimals(3))}`,
    })),
    key: {
      low: chance === 0 ? "−1" : "0",
      middle: String(chance),
      high: "1",
      text:
        `${name}: blue above chance, orange below it (the other way round)` +
        `${given.score === "r2" ? ", −1 and less alike" : ""}. Struck through: not defined.`,
    },
  });
  const { caption, alt } = describe(given, grid);
  return svgFigure({
    title: `Does “${given.label}” learnt on one dataset hold on another?`,
    caption,
    alt,
    width,
    height: grid.height,
    body: grid.body,
  });
}
