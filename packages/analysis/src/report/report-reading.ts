import { html, type Markup } from "../plots/html-markup.ts";
import { plotLayerCurve } from "../plots/layer-curve.ts";
import {
  counted,
  decimals,
  estimateText,
  percent,
  probeText,
  scoreText,
  signed,
} from "../plots/plot-format.ts";
import type { ProbeName } from "../results/probe-name.ts";
import { figureMarkup } from "./figure-markup.ts";
import type { ReportInput } from "./report-schema.ts";
import { dataTable, estimateCell, viewTable, type Row } from "./report-table.ts";
import { controlsTable } from "./views/view-layer-sweep.ts";

const auroc = decimals(3);

function rows({ sweep, heldOut }: ReportInput, probes: ProbeName[]): Row[] {
  return sweep.layers.map((swept) => {
    const at = (name: string) => swept.probes.find(({ probe }) => probe === name);
    const held = heldOut?.layers.find(({ layer }) => layer === swept.layer);
    const marked = swept.layer === sweep.chosen.layer;
    const stuck = swept.probes.filter(({ converged }) => !converged);
    return {
      head: html`${swept.layer}${marked && " (chosen)"}${stuck.length > 0 && html`<small>${stuck.map(({ probe }) => probeText(probe)).join(", ")} did not converge</small>`}`,
      marked,
      cells: [
        ...probes.map((name) => estimateCell(at(name)?.score, auroc)),
        ...probes.map((name) => estimateCell(at(name)?.metrics.accuracy, percent)),
        heldOut && estimateCell(held?.auroc, auroc),
        estimateCell(swept.controls.shuffledLabels, auroc),
        estimateCell(swept.controls.randomDirection, auroc),
      ],
    };
  });
}

function choiceNote({ sweep }: ReportInput): Markup {
  const { chosen } = sweep;
  const picks = chosen.perFoldChoices.map(({ layer, probe }) => `layer ${layer}, ${probeText(probe)}`);
  return html`<p class="note">
    Layer and probe were chosen on inner folds, by ${scoreText(sweep.score)} ${signed(chosen.innerScore, 3)}:
    the best of many, so it flatters. The honest score of the whole procedure, the choice included, comes from
    the outer folds: ${estimateText(chosen.outerScore, auroc)}. The outer folds chose, in order:
    ${picks.join("; ")}.
  </p>`;
}

export function readingSection(input: ReportInput): Markup {
  const { sweep, heldOut } = input;
  const extra = heldOut && { name: "held-out groups", layers: heldOut.layers };
  const figure = plotLayerCurve(sweep, extra ? { extra } : {});
  const probes = [...new Set(sweep.layers.flatMap((layer) => layer.probes.map(({ probe }) => probe)))];
  const columns = [
    { head: "Layer" },
    ...probes.map((probe) => ({ head: probeText(probe), note: "AUROC" })),
    ...probes.map((probe) => ({ head: probeText(probe), note: "accuracy" })),
    ...(heldOut ? [{ head: "held-out groups", note: "AUROC" }] : []),
    { head: "shuffled labels", note: "control, AUROC" },
    { head: "random directions", note: "control, AUROC" },
  ];
  return html`<section id="reading">
    <h2>Where “${sweep.label}” can be read</h2>
    <div class="beside">
      ${figureMarkup(() => figure)}
      <aside>
        <p>
          <b>What is measured.</b> A probe looks at one row and gives a score. Take one row where
          “${sweep.label}” is ${String(sweep.positive)} and one where it is not: the <b>AUROC</b> is the
          chance that the first scores higher. 0.5 is a coin toss, 1 is never wrong.
        </p>
        <p>
          <b>Why it is not memory.</b> Rows of one ${sweep.group} are never split: a probe is scored only on
          groups that it did not see.
        </p>
        <p>
          <b>The controls.</b> <i>Shuffled labels</i>: the same probe, fitted to labels dealt at random, shows
          what luck and fitting alone give. <i>Random directions</i>: what the scores of directions picked
          without looking give. A probe that does not rise above both shows nothing.
        </p>
        ${
          heldOut &&
          html`<p>
            <b>Held-out groups.</b> One direction (${heldOut.method}) made from
            ${counted(heldOut.trainGroups, "training group")}, scored on
            ${counted(heldOut.groups, "other group")} that took no part in anything else.
          </p>`
        }
      </aside>
    </div>
    ${dataTable(
      html`Each number with its interval beneath: probes, 95% cluster bootstrap over
      ${counted(sweep.groups, "group")} (${counted(sweep.n, "row")}); shuffled labels, 95% range of
      ${counted(sweep.shuffles, "shuffle")}; random directions, 95% range of
      ${counted(sweep.randomDirections, "direction")}.`,
      columns,
      rows(input, probes),
    )}
    ${viewTable(controlsTable(sweep))} ${choiceNote(input)}
    <p class="note"><b>What the controls say.</b> ${sweep.verdict.text}</p>
    ${
      sweep.notes.length > 0 &&
      html`<ul class="notes">
        ${sweep.notes.map((note) => html`<li>${note}</li>`)}
      </ul>`
    }
  </section>`;
}
