import { html } from "../../plots/html-markup.ts";
import { counted, decimals, estimateText, percent, signed } from "../../plots/plot-format.ts";
import type { Calibration } from "../../results/calibration.ts";
import type { CcsTraining } from "../../results/ccs-training.ts";
import type { DirectionJSON } from "../../results/direction-schema.ts";
import type { Inlp } from "../../results/inlp.ts";
import { estimateCell, numberCell, wordsCell } from "../report-table.ts";
import { brief, description, drawFacts, type ResultView } from "./result-view.ts";

const [three, four] = [decimals(3), decimals(4)];

export function viewDirection(direction: DirectionJSON): ResultView {
  const { source, n, vector, norm } = direction;
  const largest = vector
    .map((value, index) => ({ value, index }))
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, 10);
  const squares = vector.reduce((sum, value) => sum + value * value, 0);
  const share = largest.reduce((sum, { value }) => sum + value * value, 0) / (squares || 1);
  return {
    title: `A direction of “${brief(source.label)}” at layer ${direction.layer}`,
    verdicts: [
      description(
        `What is the direction of “${brief(source.label)}”?`,
        signed(norm, 3),
        `its length; ${vector.length.toLocaleString("en")} numbers. Whether it means anything is for a sweep and a steering evaluation to show`,
      ),
    ],
    reading: [
      html`${brief(direction.method, 300)}. Its ten largest numbers hold ${percent(share)} of its squared
      length: a share near 100% means that few outlier dimensions make it.`,
    ],
    figures: [],
    tables: [
      {
        caption: html`<b>Its largest numbers.</b>`,
        columns: [{ head: "Dimension" }, { head: "value" }],
        rows: largest.map(({ value, index }) => ({
          head: index,
          value: index,
          cells: [numberCell(value, four)],
        })),
      },
    ],
    facts: [
      ["Rows: positive, others", `${n.positive.toLocaleString("en")}, ${n.negative.toLocaleString("en")}`],
      ["Positive value", source.positive === null ? "larger numbers" : String(source.positive)],
      ["Model", source.model === undefined ? "not named" : brief(source.model)],
    ],
    notes: [],
  };
}

export function viewCalibration(calibration: Calibration): ResultView {
  const { method, n, positives } = calibration;
  const platt = method === "platt";
  return {
    title: "How scores become probabilities",
    verdicts: [
      description(
        "How do scores become probabilities?",
        platt ? "Platt" : "isotonic",
        `fitted on ${counted(n, "row")}, ${positives.toLocaleString("en")} positive; a reliability curve of other rows shows whether it holds`,
      ),
    ],
    reading: [
      platt
        ? "p = 1 / (1 + exp(−(slope · score + intercept)))"
        : "Corners, ascending; between them p is interpolated.",
    ],
    figures: [],
    tables: [
      platt
        ? {
            caption: html`<b>The fit.</b>`,
            columns: [{ head: "Parameter" }, { head: "value" }],
            rows: [
              { head: "slope", cells: [numberCell(calibration.slope, four)] },
              { head: "intercept", cells: [numberCell(calibration.intercept, four)] },
            ],
          }
        : {
            caption: html`<b>The corners.</b>`,
            columns: [{ head: "score" }, { head: "probability" }],
            rows: calibration.scores.map((score, index) => ({
              head: four(score),
              value: score,
              cells: [numberCell(calibration.probabilities[index], four)],
            })),
          },
    ],
    facts: [["Rows", n.toLocaleString("en")]],
    notes: [],
  };
}

export function viewCcsTraining(training: CcsTraining): ResultView {
  const { sign, restarts, taken } = training;
  return {
    title: "How a CCS probe was trained",
    verdicts: [
      description(
        "Is the sign of the CCS probe known?",
        sign.resolved ? "yes" : "no",
        sign.agreement === null
          ? (sign.reason ?? "the loss knows no sign, and no labels set it")
          : `${percent(sign.agreement)} of ${counted(sign.pairs, "labelled pair")} agree with it`,
      ),
    ],
    reading: ["Restarts that end at very different losses say that the training found different things."],
    figures: [],
    tables: [
      {
        caption: html`<b>Every restart.</b> Marked: the one taken.`,
        columns: [{ head: "Restart" }, { head: "loss" }, { head: "iterations" }, { head: "converged" }],
        rows: restarts.map(({ loss, iterations, converged }, index) => ({
          head: index,
          value: index,
          marked: index === taken,
          cells: [numberCell(loss, decimals(6)), numberCell(iterations), wordsCell(converged ? "yes" : "no")],
        })),
      },
    ],
    facts: [
      ["Pairs", training.pairs.toLocaleString("en")],
      ["Loss", decimals(6)(training.loss)],
      ["Weight decay", training.weightDecay],
      ["Seed", training.seed],
    ],
    notes: [],
  };
}

const ends: Record<Inlp["stopped"], string> = {
  chance: "the last interval holds 0.5",
  rounds: "as many rounds as were allowed",
  "nothing-left": "no direction is left to take",
};

export function viewInlp(inlp: Inlp): ResultView {
  const [first, last] = [inlp.rounds[0]!, inlp.rounds.at(-1)!];
  return {
    title: `How much of “${brief(inlp.label)}” is left as directions are taken away`,
    verdicts: [
      {
        question: `Is “${brief(inlp.label)}” gone from layer ${inlp.layer} for linear probes?`,
        finding: inlp.stopped === "chance" ? "shown" : "not shown",
        number: last.auroc.value === null ? "–" : three(last.auroc.value),
        unit: `AUROC of held-out groups with ${counted(last.rank, "dimension")} gone`,
        interval: `before: ${estimateText(first.auroc, three)}`,
        control: `chance, 0.5; it stopped since ${ends[inlp.stopped]}`,
      },
    ],
    reading: [
      "Round by round a probe is fitted and its direction taken away. An interval that holds 0.5 is no proof that nothing is left: only that linear probes on these rows find no more.",
    ],
    figures: [],
    tables: [
      {
        caption: html`<b>Round by round.</b>`,
        columns: [{ head: "Dimensions gone" }, { head: "AUROC" }],
        rows: inlp.rounds.map(({ rank, auroc }) => ({
          head: rank,
          value: rank,
          cells: [estimateCell(auroc, three)],
        })),
      },
    ],
    facts: [
      ["Label", brief(inlp.label)],
      ["Layer", inlp.layer],
      ["Group", brief(inlp.group)],
      ["Folds", inlp.folds],
      ["C", inlp.C],
      ...drawFacts(inlp),
    ],
    notes: [],
  };
}
