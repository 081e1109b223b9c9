import { evenly } from "../../plots/evenly.ts";
import { plotLogitLens } from "../../plots/logit-lens-plot.ts";
import { plotPositionSweep } from "../../plots/position-sweep-plot.ts";
import { plotTokenHeatMap } from "../../plots/token-heat-map.ts";
import { Markup, html } from "../../plots/html-markup.ts";
import { counted, decimals, estimateText, probeText, signed } from "../../plots/plot-format.ts";
import { tokenScoresStrip } from "../../plots/token-scores-strip.ts";
import type { LogitLensTable } from "../../results/logit-lens.ts";
import type { PositionSweep } from "../../results/position-sweep.ts";
import type { TokenScores } from "../../results/token-scores.ts";
import { estimateCell, numberCell, wordsCell } from "../report-table.ts";
import { brief, countAbove, description, drawFacts, type ResultView } from "./result-view.ts";

const three = decimals(3);
/** Tokens of one strip, and columns of one table; the data have the rest. */
const [mostTokens, mostLayers] = [400, 10];

const tokenName = (text: string | null, id: number | null): string =>
  text ?? (id === null ? "[no text]" : `[id ${id}]`);

function layersNote(all: number, shown: number): string[] {
  return all > shown ? [`The table shows ${shown} of ${all} layers; the data have them all.`] : [];
}

export function viewTokenScores(scores: TokenScores): ResultView {
  const layers = evenly(scores.layers, mostLayers);
  const short = (text: string | null): string | null => text && brief(text);
  const named = {
    ...scores,
    score: brief(scores.score),
    above: short(scores.above),
    below: short(scores.below),
  };
  return {
    title: `${brief(scores.score)}, token by token`,
    verdicts: [
      description(
        "Where in the text does it show?",
        counted(scores.tokens.length, "token"),
        `scored at ${counted(scores.layers.length, "layer")}; one text, so it shows and proves nothing`,
      ),
    ],
    reading: [
      html`What a probe or direction of each layer says of each token
      (${scores.model === null ? "model not named" : brief(scores.model)}). Scores of several layers are
      comparable only above and below the threshold: ${scores.above === null ? "above" : brief(scores.above)}
      over it, ${scores.below === null ? "below" : brief(scores.below)} under it.`,
    ],
    figures: [() => plotTokenHeatMap(named)],
    strips: [
      () =>
        html`<h3>Layer ${scores.layers.at(-1)?.layer}</h3>
          ${new Markup(tokenScoresStrip(named, { maxTokens: mostTokens }).inline())}`,
    ],
    tables: [
      {
        caption: html`<b>Every score.</b>`,
        columns: [
          { head: "Position" },
          { head: "token" },
          { head: "id" },
          { head: "role" },
          ...layers.map(({ layer, threshold }) => ({
            head: `layer ${layer}`,
            note: `threshold ${three(threshold)}`,
          })),
        ],
        rows: scores.tokens.map(({ position, id, text, role }, index) => ({
          head: position,
          value: position,
          cells: [
            wordsCell(JSON.stringify(tokenName(text, id))),
            numberCell(id, String, "not known"),
            wordsCell(role),
            ...layers.map((layer) => numberCell(layer.scores[index], three, "no row")),
          ],
        })),
      },
    ],
    facts: [
      ["Model", scores.model === null ? "not named" : brief(scores.model)],
      ["Layers", scores.layers.map(({ layer }) => layer).join(", ")],
    ],
    notes: layersNote(scores.layers.length, layers.length),
  };
}

export function viewPositionSweep(sweep: PositionSweep): ResultView {
  const above = countAbove(
    sweep.cells.map(({ score }) => score),
    0.5,
  );
  const [best] = sweep.cells
    .filter(({ score }) => score.value !== null)
    .toSorted((a, b) => (b.score.value ?? 0) - (a.score.value ?? 0));
  // By luck alone one in forty 95 % intervals lies above chance.
  const luck = sweep.cells.length / 40;
  const counts = sweep.from === "end" ? "the last token (−1)" : "the first token (0)";
  return {
    title: `Where in the prompt “${brief(sweep.label)}” can be read`,
    verdicts: [
      {
        question: `At which tokens can “${brief(sweep.label)}” be read?`,
        finding: above <= 2 * luck ? "not shown" : "in part",
        number: `${above} of ${sweep.cells.length}`,
        unit: "cells (layer and position) whose whole interval lies above 0.5",
        interval: best
          ? `highest: layer ${best.layer}, position ${signed(best.position)}, AUROC ${estimateText(best.score, three)}, picked after looking at all`
          : "",
        control: `by luck alone about ${decimals(1)(luck)} of the cells would; this document has no other control; a layer sweep has`,
      },
    ],
    reading: [
      html`A probe (${probeText(sweep.probe)}) at each layer and place of the prompt, cross-validated so that
      rows of one ${brief(sweep.group)} are never split. Positions count from ${counts}.`,
    ],
    figures: [() => plotPositionSweep(sweep)],
    tables: [
      {
        caption: html`<b>Every cell.</b> AUROC with its 95% interval, whole groups redrawn.`,
        columns: [
          { head: "Position" },
          { head: "token", note: "where all examples share it" },
          { head: "layer" },
          { head: "AUROC" },
        ],
        rows: sweep.cells.map(({ layer, position, token, score }) => ({
          head: signed(position),
          value: position,
          cells: [
            wordsCell(token === null ? "–" : JSON.stringify(token)),
            numberCell(layer),
            estimateCell(score, three),
          ],
        })),
      },
    ],
    facts: [
      ["Label", brief(sweep.label)],
      ["Probe", probeText(sweep.probe)],
      ["Layers", sweep.layers.join(", ")],
      ["Positions", sweep.positions.map((position) => signed(position)).join(", ")],
      ["Rows", sweep.n.toLocaleString("en")],
      ["Groups", `${sweep.groups.toLocaleString("en")} (by ${brief(sweep.group)})`],
      ["Folds", sweep.folds],
      ...drawFacts(sweep),
    ],
    notes: sweep.notes,
  };
}

export function viewLogitLens(lens: LogitLensTable): ResultView {
  const layers = evenly(lens.layers, mostLayers);
  return {
    title: "What each layer would say next",
    verdicts: [
      description(
        "What would each layer say next?",
        counted(lens.tokens.length, "token"),
        `read at ${counted(lens.layers.length, "layer")}; one text, so it shows and proves nothing`,
      ),
    ],
    reading: [
      "Each layer's row is read as if it were the last one: final norm, then the output matrix. A layer that was not made to be read so may say little; the KL to the final distribution says how far it still is.",
    ],
    figures: [() => plotLogitLens(lens)],
    tables: [
      {
        caption: html`<b>The likeliest next token,</b> its probability, and the KL (final ‖ layer) in nats.`,
        columns: [
          { head: "Position" },
          { head: "token" },
          ...layers.map(({ layer }) => ({ head: `layer ${layer}` })),
        ],
        rows: lens.tokens.map(({ position, id, text }, index) => ({
          head: position,
          value: position,
          cells: [
            wordsCell(JSON.stringify(tokenName(text, id))),
            ...layers.map(({ readings }) => {
              const reading = readings[index];
              const [first] = reading?.top ?? [];
              if (!reading || !first) return numberCell(null, String, "not read");
              return html`<td data-v="${reading.kl}">
                ${JSON.stringify(first.text)}<small
                  >${three(Math.exp(first.logprob))}; KL ${three(reading.kl)}</small
                >
              </td>`;
            }),
          ],
        })),
      },
    ],
    facts: [
      ["Model", brief(lens.model)],
      ["Layers", lens.layers.map(({ layer }) => layer).join(", ")],
    ],
    notes: layersNote(lens.layers.length, layers.length),
  };
}
