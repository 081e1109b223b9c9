import { counted, decimals, estimateText, percent, probeText, scoreText } from "../../plots/plot-format.ts";
import { html } from "../../plots/html-markup.ts";
import { plotLayerCurve } from "../../plots/layer-curve.ts";
import { plotSweepControls } from "../../plots/sweep-controls.ts";
import type { LayerSweep, SweepRival } from "../../results/layer-sweep.ts";
import { intervalLine, type Finding, type Verdict } from "../finding.ts";
import { estimateCell, numberCell, wordsCell, type ViewTable } from "../report-table.ts";
import { brief, drawFacts, type ResultView } from "./result-view.ts";

const score = decimals(3);

const findings: Record<LayerSweep["verdict"]["finding"], Finding> = {
  shown: "shown",
  explained: "explained",
  "not shown": "not shown",
  undefined: "not measured",
};

export function viewLayerSweep(sweep: LayerSweep): ResultView {
  const label = brief(sweep.label);
  const shown = { ...sweep, label, group: brief(sweep.group) };
  return {
    title: `Where “${label}” can be read, layer by layer`,
    verdicts: [verdict(sweep)],
    reading: [sweep.verdict.text, reading(sweep)],
    figures: [() => plotLayerCurve(shown), () => plotSweepControls(shown)],
    tables: [layerTable(sweep), controlsTable(sweep), choiceTable(sweep)],
    facts: [
      ["Label", label],
      ["Task", sweep.task],
      ["Score", scoreText(sweep.score)],
      ["Rows", sweep.n.toLocaleString("en")],
      ["Groups", `${sweep.groups.toLocaleString("en")} (by ${brief(sweep.group)})`],
      ["Outer folds", sweep.folds],
      ["Split and intervals", sweep.split],
      ["Shuffles, random directions", `${sweep.shuffles}, ${sweep.randomDirections}`],
      ...drawFacts(sweep),
    ],
    notes: sweep.notes,
  };
}

function verdict(sweep: LayerSweep): Verdict {
  const { chosen } = sweep;
  const controls = sweep.layers.find(({ layer }) => layer === chosen.layer)?.controls;
  const { value } = chosen.outerScore;
  return {
    question: `Can “${brief(sweep.label)}” be read from the model?`,
    finding: findings[sweep.verdict.finding],
    number: value === null ? "–" : score(value),
    unit: `${scoreText(sweep.score)} of ${probeText(chosen.probe)}, layer ${chosen.layer}`,
    interval: intervalLine(chosen.outerScore, score),
    control:
      sweep.verdict.finding === "explained"
        ? brief(sweep.verdict.text, 300)
        : controls
          ? `shuffled labels ${estimateText(controls.shuffledLabels, score)}; random directions ${estimateText(controls.randomDirection, score)}; ${strongestRival(sweep)}`
          : "no control at this layer",
  };
}

function rivals({ controls }: LayerSweep): [string, SweepRival][] {
  const { floor } = controls;
  return [
    ["prompt length only", controls.promptLength],
    ["bag of tokens", controls.bagOfTokens],
    [`lowest layer${floor.layer === null ? "" : ` (${floor.layer})`}`, floor],
    ["random features", controls.randomFeatures],
  ];
}

/** The control without the layer's rows that scores highest. */
function strongestRival(sweep: LayerSweep): string {
  const [best] = rivals(sweep)
    .filter(([, { score: own }]) => own.value !== null)
    .sort(([, a], [, b]) => (b.score.value ?? 0) - (a.score.value ?? 0));
  return best === undefined
    ? "no other control was fitted"
    : `${best[0]} ${estimateText(best[1].score, score)}`;
}

function reading(sweep: LayerSweep) {
  const { chosen } = sweep;
  return html`Layer and probe were chosen on inner folds (${scoreText(sweep.score)}
  ${score(chosen.innerScore)}: the best of many, so it flatters). The score of the whole procedure, the choice
  included, is that of the outer folds: ${estimateText(chosen.outerScore, score)}. Rows of one
  ${brief(sweep.group)} are never split between fitting and scoring.`;
}

function layerTable(sweep: LayerSweep): ViewTable {
  const probes = [...new Set(sweep.layers.flatMap((layer) => layer.probes.map(({ probe }) => probe)))];
  const withAccuracy = sweep.layers.some(({ probes: own }) => own.some(({ metrics }) => metrics.accuracy));
  const name = scoreText(sweep.score);
  const undefinedTask = sweep.layers.every(({ controls }) => controls.controlTask.value === null)
    ? (sweep.layers[0]?.controls.controlTask.reason ?? "no reason is known")
    : undefined;
  return {
    caption: html`<b>By layer.</b> Each number with its 95% interval beneath: probes, cluster bootstrap over
      ${counted(sweep.groups, "group")}; shuffled labels, range of ${counted(sweep.shuffles, "shuffle")};
      random directions, range of ${counted(sweep.randomDirections, "direction")}.
      ${undefinedTask !== undefined && `Control task: not defined, ${undefinedTask}.`}`,
    columns: [
      { head: "Layer" },
      ...probes.map((probe) => ({ head: probeText(probe), note: name })),
      ...(withAccuracy ? probes.map((probe) => ({ head: probeText(probe), note: "accuracy" })) : []),
      { head: "shuffled labels", note: `control, ${name}` },
      { head: "random directions", note: `control, ${name}` },
      ...(undefinedTask === undefined
        ? [
            { head: "control task", note: `control, ${name}` },
            { head: "selectivity", note: "score less control task" },
          ]
        : []),
      { head: "p", note: "permutation, all layers" },
    ],
    rows: sweep.layers.map((swept) => {
      const at = (probe: string) => swept.probes.find((entry) => entry.probe === probe);
      const chosen = swept.layer === sweep.chosen.layer;
      const stuck = swept.probes.filter(({ converged }) => !converged);
      const { controls } = swept;
      return {
        head: html`${swept.layer}${chosen && " (chosen)"}${stuck.length > 0 && html`<small>${stuck.map(({ probe }) => probeText(probe)).join(", ")} did not converge</small>`}`,
        value: swept.layer,
        marked: chosen,
        cells: [
          ...probes.map((probe) => estimateCell(at(probe)?.score, score)),
          ...(withAccuracy ? probes.map((probe) => estimateCell(at(probe)?.metrics.accuracy, percent)) : []),
          estimateCell(controls.shuffledLabels, score),
          estimateCell(controls.randomDirection, score),
          ...(undefinedTask === undefined
            ? [estimateCell(controls.controlTask, score), estimateCell(controls.selectivity, score)]
            : []),
          numberCell(swept.permutation.correctedP, score, swept.permutation.reason),
        ],
      };
    }),
  };
}

/** What could explain the score without the layer's rows. */
export function controlsTable(sweep: LayerSweep): ViewTable {
  const { tokenFilter, chosen } = sweep;
  return {
    caption: html`<b>What else could explain it.</b> Each control's own score in the same folds, and how much
      higher the chosen probe (${estimateText(chosen.outerScore, score)}) scores on the same redrawn groups.
      Beneath each score its 95% interval over groups; of random features, the range of
      ${counted(sweep.controls.randomFeatures.score.n ?? 0, "draw")}. A gain whose interval holds 0 means that
      the control explains the score.`,
    columns: [
      { head: "Control" },
      { head: "its score", note: scoreText(sweep.score) },
      { head: "gain over it" },
      { head: "what was fitted" },
    ],
    rows: [
      ...rivals(sweep).map(([name, { score: own, gain, how }]) => ({
        head: name,
        cells: [estimateCell(own, score), estimateCell(gain, score), wordsCell(how)],
      })),
      ...(tokenFilter
        ? [
            {
              head: `without ${counted(tokenFilter.leftOut, "row")}`,
              cells: [
                estimateCell(tokenFilter.without, score),
                numberCell(null, score, "–"),
                wordsCell(`${tokenFilter.how}; with them ${estimateText(tokenFilter.with, score)}`),
              ],
            },
          ]
        : []),
    ],
  };
}

function choiceTable({ chosen }: LayerSweep): ViewTable {
  return {
    caption: html`<b>What each outer fold chose</b> on its inner folds. Folds that disagree say that the
      choice of layer is uncertain.`,
    columns: [
      { head: "Outer fold" },
      { head: "layer" },
      { head: "probe" },
      { head: "C" },
      { head: "inner score" },
    ],
    rows: chosen.perFoldChoices.map(({ layer, probe, C, innerScore }, index) => ({
      head: index + 1,
      value: index,
      cells: [
        numberCell(layer),
        wordsCell(probeText(probe)),
        numberCell(C, (value) => String(value), "–"),
        numberCell(innerScore, score),
      ],
    })),
  };
}
