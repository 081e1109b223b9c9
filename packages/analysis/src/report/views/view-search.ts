import { html } from "../../plots/html-markup.ts";
import { plotSteeringSearch } from "../../plots/steering-search-plot.ts";
import { decimals, estimateText, scaleText, signed } from "../../plots/plot-format.ts";
import type { DirectionSelection } from "../../results/direction-selection.ts";
import type { SteeringSearch } from "../../results/steering-search.ts";
import { intervalLine, isAbove, type Finding } from "../finding.ts";
import { estimateCell, numberCell, wordsCell } from "../report-table.ts";
import { brief, drawFacts, type ResultView } from "./result-view.ts";
import { comparisonCells, comparisonColumns } from "./view-steering.ts";

const three = decimals(3);

/** Twins that search as well and find as much explain the winner. */
function searchFinding({ winner, twins }: SteeringSearch): Finding {
  if (winner === null || !isAbove(winner.gain, { value: 0, low: null, high: null })) return "not shown";
  if (twins?.p == null) return "in part";
  return twins.p <= 0.05 ? "shown" : "explained";
}

export function viewSteeringSearch(search: SteeringSearch): ResultView {
  const { winner, twins, objective, limits } = search;
  return {
    title: `Where steering does most: a search over layers and scales`,
    verdicts: [
      {
        question: "Is there a layer and scale that does more than random directions, without damage?",
        finding: searchFinding(search),
        number: winner?.gain.value == null ? "–" : three(winner.gain.value),
        unit: winner
          ? `gain of ${brief(objective.metric, 60)}, layer ${winner.layer}, scale ${scaleText(winner.scale)}, on prompts that did not choose it`
          : "no undamaged cell gains anything",
        interval: winner ? intervalLine(winner.gain, three) : "",
        control: twins
          ? `random directions that search the same cells: ${estimateText(twins.twins, three)}; ${twins.asLarge} of ${twins.twins.n ?? "–"} find as much, p = ${twins.p === null ? "undefined" : three(twins.p)}`
          : "no random directions searched",
      },
    ],
    reading: [
      search.verdict,
      html`Half of the prompts choose the cell, the other half estimates it: the gain on the half that chose
      flatters. Each side of a layer is tried outward from 0, up to its first damage.`,
    ],
    figures: [() => plotSteeringSearch(search)],
    tables: [
      {
        caption: html`<b>Every cell tried,</b> on the half of the prompts that chooses. Marked: the winner.`,
        columns: [
          { head: "Layer" },
          { head: "scale" },
          { head: "gain", note: `${objective.metric}, ${objective.aim}` },
          { head: "perplexity", note: "over that at scale 0" },
          { head: "KL", note: "nats a token" },
          { head: "damage" },
        ],
        rows: search.cells.map((cell) => ({
          head: cell.layer,
          value: cell.layer,
          marked: cell.layer === winner?.layer && cell.scale === winner.scale,
          cells: [
            numberCell(cell.scale, scaleText),
            estimateCell(cell.gain, three),
            numberCell(cell.perplexityRatio, (value) => `×${signed(value, 2)}`),
            numberCell(cell.kl, three),
            wordsCell(cell.damage.join("; ") || "none found"),
          ],
        })),
      },
      ...(search.stopped.length === 0
        ? []
        : [
            {
              caption: html`<b>Where a side of a layer ended.</b>`,
              columns: [{ head: "Layer" }, { head: "scale" }, { head: "damage" }, { head: "not tried" }],
              rows: search.stopped.map(({ layer, scale, damage, untried }) => ({
                head: layer,
                value: layer,
                cells: [
                  numberCell(scale, scaleText),
                  wordsCell(damage.join("; ")),
                  wordsCell(untried.map(scaleText).join(", ") || "nothing"),
                ],
              })),
            },
          ]),
      ...(twins
        ? [
            {
              caption: html`<b>The winner beside random directions that searched too.</b>`,
              columns: [{ head: "Layer" }, ...comparisonColumns],
              rows: [{ head: winner?.layer ?? "–", cells: comparisonCells(twins) }],
            },
          ]
        : []),
    ],
    facts: [
      ["Model", brief(search.model)],
      ["Objective", `${objective.aim} ${brief(objective.metric, 60)}`],
      ["Scales", search.scales.map(scaleText).join(", ")],
      [
        "Directions",
        search.directions.map(({ layer, norm }) => `layer ${layer}, length ${signed(norm, 3)}`).join("; "),
      ],
      [
        "Limits of damage",
        Object.entries(limits)
          .map(([name, value]) => `${name} ${value ?? "not set"}`)
          .join(", "),
      ],
      ["Prompts that choose, that estimate", `${search.split.choose.n}, ${search.split.estimate.n}`],
      ["Groups", search.groups.toLocaleString("en")],
      ...drawFacts(search),
    ],
    notes: search.notes,
  };
}

export function viewDirectionSelection(selection: DirectionSelection): ResultView {
  const { chosen, candidates, baseline, limits } = selection;
  const best = candidates.find(
    ({ layer, position }) => layer === chosen?.layer && position === chosen.position,
  );
  return {
    title: "Which direction to ablate",
    verdicts: [
      {
        question: "Is there a direction whose ablation does what is wanted and nothing else?",
        finding: chosen === null ? "not shown" : "in part",
        number: best?.bypass.value == null ? "–" : three(best.bypass.value),
        unit: chosen
          ? `score of harmful prompts with layer ${chosen.layer}, position ${signed(chosen.position)} ablated`
          : "no candidate is allowed",
        interval: best ? intervalLine(best.bypass, three) : "",
        control: `without intervention ${estimateText(baseline.harmful, three)}; chosen as the best of ${candidates.length}, so it flatters`,
      },
    ],
    reading: [selection.verdict],
    figures: [],
    tables: [
      {
        caption: html`<b>Every candidate.</b> Marked: the chosen one.`,
        columns: [
          { head: "Layer" },
          { head: "position" },
          { head: "bypass", note: "low is good" },
          { head: "induce" },
          { head: "KL", note: "nats" },
          { head: "why not" },
        ],
        rows: candidates.map((candidate) => ({
          head: candidate.layer,
          value: candidate.layer,
          marked: candidate === best,
          cells: [
            numberCell(candidate.position),
            estimateCell(candidate.bypass, three),
            estimateCell(candidate.induce ?? undefined, three),
            estimateCell(candidate.kl ?? undefined, three),
            wordsCell(candidate.rejected.join("; ") || "–"),
          ],
        })),
      },
    ],
    facts: [
      ["Model", brief(selection.model)],
      ["Tokens", selection.tokens.map((token) => `“${brief(token, 30)}”`).join(", ")],
      ["Limits", `KL ${limits.maxKl}, induce ${limits.minInduce}, last layers left out ${limits.dropLast}`],
      ["Blocks of the model", selection.depth],
      ["Harmless prompts, without intervention", estimateText(baseline.harmless, three)],
      ...drawFacts(selection),
    ],
    notes: [],
  };
}
