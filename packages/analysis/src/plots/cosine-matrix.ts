import { checkOptions } from "../options/check-options.ts";
import { cosineMatrixSchema, type CosineMatrix } from "../results/cosine-matrix.ts";
import { cellGrid, type GridCell } from "./cell-grid.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { counted, decimals } from "./plot-format.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";

const two = decimals(2);

const whole = cosineMatrixSchema.superRefine(({ directions, pairs }, context) => {
  const names = directions.map(({ name }) => name);
  pairs.forEach((pair, index) => {
    for (const field of ["first", "second"] as const)
      if (!names.includes(pair[field]))
        context.addIssue({
          code: "custom",
          path: ["pairs", index, field],
          message: `the name of one of its directions: ${names.join(", ")}`,
        });
  });
});

type Pair = CosineMatrix["pairs"][number];

function pairText({ first, second, cosine, reason }: Pair): string {
  const value =
    cosine === null ? `not defined${reason === undefined ? "" : `: ${reason}`}` : decimals(3)(cosine);
  return `${first} and ${second}: cosine ${value}`;
}

function pairCells(matrix: CosineMatrix): GridCell[] {
  const place = new Map(matrix.directions.map(({ name }, index) => [name, index]));
  return matrix.pairs.flatMap((pair) => {
    const [a, b] = [place.get(pair.first) ?? 0, place.get(pair.second) ?? 0];
    const cell = {
      strength: pair.cosine,
      ...(pair.cosine === null ? {} : { text: two(pair.cosine) }),
      bold: pair.cosine !== null && Math.abs(pair.cosine) > matrix.chance,
      title: pairText(pair),
    };
    return [
      { row: a, column: b, ...cell },
      { row: b, column: a, ...cell },
    ];
  });
}

function describe(matrix: CosineMatrix, texts: boolean): { caption: string; alt: string } {
  const { directions, pairs, width, chance } = matrix;
  const defined = pairs
    .filter(({ cosine }) => cosine !== null)
    .sort((a, b) => (b.cosine ?? 0) - (a.cosine ?? 0));
  const beyond = defined.filter(({ cosine }) => Math.abs(cosine ?? 0) > chance).length;
  const [nearest, farthest] = [defined[0], defined.at(-1)];
  return {
    caption:
      `n = ${counted(directions.length, "direction")} of ${width.toLocaleString("en")} numbers. ` +
      `Of two random directions of that width, 95% of the cosines lie within ±${decimals(3)(chance)}` +
      `${texts ? "; bold: outside of it" : ""}. These cosines are exact: they have no interval.`,
    alt:
      `Cosines of ${counted(pairs.length, "pair")} of directions; ${beyond} lie farther from 0 than chance (${two(chance)}).` +
      (nearest === undefined ? "" : ` Most alike: ${pairText(nearest)}.`) +
      (farthest === undefined ? "" : ` Most opposed or least alike: ${pairText(farthest)}.`),
  };
}

/**
 * Cosine matrix: how alike every two directions are, from −1 (opposed) over 0 (unrelated) to 1 (the same). Throws InvalidRequestError for a
 * document that is no cosine matrix.
 */
export function plotCosineMatrix(matrix: CosineMatrix, options: FigureOptions = {}): Figure {
  const given = checkResult(whole, matrix, "plotCosineMatrix");
  const { width } = checkOptions(figureOptions, options, "plotCosineMatrix");
  const { directions } = given;
  const { body, height, texts } = cellGrid({
    width,
    rows: directions.map(({ name, layer, norm }) => ({
      label: name,
      note: `${layer === null ? "" : `layer ${layer}, `}length ${decimals(2)(norm)}`,
    })),
    columns: directions.map(({ name }) => name),
    names: "turn",
    rowTitle: "direction",
    columnTitle: "cosine with",
    rowHeight: directions.length <= 14 ? 34 : directions.length <= 30 ? 18 : 14,
    columnWidth: 100,
    cells: pairCells(given),
    key: {
      low: "−1",
      middle: "0",
      high: "1",
      text: "Cosine: blue alike, orange opposed. Struck through: not defined.",
    },
  });
  return svgFigure({
    title: "How alike are the directions?",
    ...describe(given, texts),
    width,
    height,
    body,
  });
}
