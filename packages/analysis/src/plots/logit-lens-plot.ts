import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { logitLensSchema, type LogitLensTable } from "../results/logit-lens.ts";
import { cellGrid, type GridCell } from "./cell-grid.ts";
import { checkResult } from "./check-result.ts";
import { evenly } from "./evenly.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { counted, decimals, percent } from "./plot-format.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { visibleToken } from "./visible-token.ts";

export interface LogitLensOptions extends FigureOptions {
  /** Layers that are drawn; by default as many, evenly, as find room, the last one among them. */
  layers?: readonly number[];
}

const two = decimals(2);
const [leastColumn, mostTokens] = [58, 60];

const whole = logitLensSchema.superRefine(({ tokens, layers }, context) => {
  layers.forEach(({ readings }, index) => {
    if (readings.length !== tokens.length)
      context.addIssue({
        code: "custom",
        path: ["layers", index, "readings"],
        message: `${tokens.length} readings, one a token`,
      });
  });
});

type Layer = LogitLensTable["layers"][number];
type Reading = Layer["readings"][number];

function readingText({ top, entropy, kl }: Reading): string {
  const likely = top
    .slice(0, 5)
    .map(({ text, logprob }) => `“${visibleToken(text)}” ${percent(Math.exp(logprob))}`);
  return `${likely.join(", ")}; entropy ${two(entropy)} nats, KL to the last layer ${two(kl)} nats`;
}

function describe(given: LogitLensTable, shown: Layer[], drawn: number): { caption: string; alt: string } {
  const { tokens, layers, model } = given;
  const last = layers.at(-1);
  // From where on most tokens read as at the end.
  const settled = layers.find(({ readings }) => {
    const same = readings.filter(({ top }, index) => top[0]?.id === last?.readings[index]?.top[0]?.id);
    return same.length * 2 > readings.length;
  });
  const final = last?.readings.at(-1)?.top[0];
  return {
    caption:
      `n = ${counted(tokens.length, "token")} of one prompt (${model}). Each layer’s rows read as if it were the last one; the likeliest next token. ` +
      `Underlined: the same token as at layer ${last?.layer}. ` +
      (shown.length < layers.length
        ? `${shown.length} of ${counted(layers.length, "layer")} are drawn. `
        : "") +
      (drawn < tokens.length ? `${counted(tokens.length - drawn, "token")} more, not drawn. ` : "") +
      "One prompt: no interval.",
    alt:
      `Logit lens over ${counted(tokens.length, "token")} and ${counted(layers.length, "layer")}. ` +
      (settled === undefined
        ? ""
        : `From layer ${settled.layer} on, most tokens read as at the last layer for the first time. `) +
      (final === undefined
        ? ""
        : `After the last token, layer ${last?.layer} reads “${visibleToken(final.text)}” with ${percent(Math.exp(final.logprob))}.`),
  };
}

/**
 * Logit-lens table: tokens down, layers across, in each cell the likeliest next token as that layer would have it, coloured by its
 * probability. Throws InvalidRequestError for a document that is no logit lens, or for layers that it has not.
 */
export function plotLogitLens(table: LogitLensTable, options: LogitLensOptions = {}): Figure {
  const given = checkResult(whole, table, "plotLogitLens");
  const known = given.layers.map(({ layer }) => layer);
  const { width, layers: asked } = checkOptions(
    figureOptions.extend({
      layers: z
        .array(z.number().refine((layer) => known.includes(layer), `one of its layers: ${known.join(", ")}`))
        .min(1)
        .optional(),
    }),
    options,
    "plotLogitLens",
  );
  const room = Math.max(1, Math.floor((0.72 * width) / leastColumn));
  const shown =
    asked === undefined
      ? evenly(given.layers, room)
      : given.layers.filter(({ layer }) => asked.includes(layer));
  const tokens = given.tokens.slice(0, mostTokens);
  const last = given.layers.at(-1);
  const cells = shown.flatMap(({ layer, readings }, column) =>
    tokens.map(({ position, text }, row): GridCell => {
      const reading = readings[row];
      const likeliest = reading?.top[0];
      const place = `position ${position} (“${visibleToken(text)}”), layer ${layer}`;
      if (reading === undefined || likeliest === undefined)
        return { row, column, strength: null, title: place };
      return {
        row,
        column,
        strength: Math.min(1, Math.exp(likeliest.logprob)),
        text: visibleToken(likeliest.text),
        underlined: likeliest.id === last?.readings[row]?.top[0]?.id,
        title: `${place}: ${readingText(reading)}`,
      };
    }),
  );
  const grid = cellGrid({
    width,
    rows: tokens.map(({ position, text }) => ({ number: String(position), label: visibleToken(text) })),
    columns: shown.map(({ layer }) => String(layer)),
    names: "thin",
    rowTitle: "after the token",
    columnTitle: "layer (output of decoder block, from 0)",
    rowHeight: 18,
    columnWidth: 110,
    cells,
    cutTexts: 30,
    key: { middle: "0%", high: "100%", text: "Probability of the token that stands in the cell." },
  });
  return svgFigure({
    title: "What each layer would say next",
    ...describe(given, shown, tokens.length),
    width,
    height: grid.height,
    body: grid.body,
  });
}
