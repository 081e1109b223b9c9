import { plotLabelEfficiency } from "../../plots/label-efficiency-plot.ts";
import { plotCalibration } from "../../plots/calibration-plot.ts";
import { plotRoc } from "../../plots/roc.ts";
import { html } from "../../plots/html-markup.ts";
import {
  counted,
  decimals,
  estimateText,
  intervalText,
  percent,
  probeText,
  scoreText,
} from "../../plots/plot-format.ts";
import type { DirectionStability } from "../../results/direction-stability.ts";
import type { LabelEfficiency } from "../../results/label-efficiency.ts";
import type { ReliabilityCurve } from "../../results/reliability-curve.ts";
import type { RocCurve } from "../../results/roc-curve.ts";
import { intervalLine, isAbove } from "../finding.ts";
import { estimateCell, numberCell } from "../report-table.ts";
import { brief, drawFacts, type ResultView } from "./result-view.ts";

const score = decimals(3);
const chanceLevel = { value: 0.5, low: null, high: null };

export function viewRocCurve(roc: RocCurve): ResultView {
  const { auroc } = roc;
  return {
    title: `How well scores tell “${brief(roc.label)}”`,
    verdicts: [
      {
        question: `Do the scores tell “${brief(roc.label)}”?`,
        finding:
          auroc.value === null ? "not measured" : isAbove(auroc, chanceLevel) ? "in part" : "not shown",
        number: auroc.value === null ? "–" : score(auroc.value),
        unit: "AUROC",
        interval: intervalLine(auroc, score),
        control: "chance, 0.5; this document has no other control; a layer sweep has",
      },
    ],
    reading: [
      "At each threshold: the share of negatives that score above it (false positives) against the share of positives that do (recall). AUROC is the chance that a positive scores above a negative.",
    ],
    figures: [() => plotRoc(roc)],
    tables: [
      {
        caption: html`<b>Recall at fixed false-positive rates.</b> Each with its 95% interval, whole groups
          redrawn.`,
        columns: [
          { head: "rate asked for" },
          { head: "recall" },
          { head: "false positives" },
          { head: "threshold" },
        ],
        rows: roc.marks.map(({ rate, recall, falsePositiveRate, threshold }) => ({
          head: percent(rate),
          value: rate,
          cells: [
            estimateCell(recall, percent),
            estimateCell(falsePositiveRate, percent),
            numberCell(typeof threshold === "number" ? threshold : null, decimals(4), "one a fold"),
          ],
        })),
      },
      {
        caption: html`<b>The curve</b> at evenly spaced false-positive rates.`,
        columns: [{ head: "false positives" }, { head: "recall" }],
        rows: roc.band.map(({ falsePositiveRate, recall }) => ({
          head: percent(falsePositiveRate),
          value: falsePositiveRate,
          cells: [estimateCell(recall, percent)],
        })),
      },
    ],
    facts: [
      ["Rows", `${roc.positives.toLocaleString("en")} of ${roc.n.toLocaleString("en")} positive`],
      ["Groups", roc.groups.toLocaleString("en")],
      ...drawFacts(roc),
    ],
    notes: [],
  };
}

export function viewReliabilityCurve(curve: ReliabilityCurve): ResultView {
  const { calibrationError: error, perfectError } = curve;
  const off = error.low !== null && perfectError !== null && error.low > perfectError;
  return {
    title: "Whether probabilities are what they say",
    verdicts: [
      {
        question: "Are the probabilities off?",
        finding: error.value === null || perfectError === null ? "not measured" : off ? "shown" : "not shown",
        number: error.value === null ? "–" : score(error.value),
        unit: "calibration error (mean distance of probability and share of positives)",
        interval: intervalLine(error, score),
        control:
          perfectError === null
            ? "what perfect probabilities would show is not known"
            : `perfect probabilities of as many rows would show ${score(perfectError)}`,
      },
    ],
    reading: [
      "Rows are put into bins by their probability. Where the probabilities are right, the share of positives of a bin is its mean probability.",
    ],
    figures: [() => plotCalibration(curve)],
    tables: [
      {
        caption: html`<b>By bin.</b> Share of positives with its 95% interval.`,
        columns: [{ head: "probability" }, { head: "mean" }, { head: "positives" }, { head: "rows" }],
        rows: curve.bins.map(({ low, high, meanProbability, positives }) => ({
          head: `${score(low)} to ${score(high)}`,
          value: low,
          cells: [
            numberCell(meanProbability, score),
            estimateCell(positives, percent),
            numberCell(positives.n),
          ],
        })),
      },
    ],
    facts: [
      ["Brier score", estimateText(curve.brier, score)],
      ["Log loss, nats", estimateText(curve.logLoss, score)],
      ["Bins of equal", curve.binning],
      ["Rows", curve.n.toLocaleString("en")],
      ["Groups", curve.groups.toLocaleString("en")],
      ...drawFacts(curve),
    ],
    notes: [],
  };
}

export function viewLabelEfficiency(curve: LabelEfficiency): ResultView {
  const chance = curve.score === "r2" ? 0 : 0.5;
  const first = curve.points.find(({ score: own }) => own.low !== null && own.low > chance);
  const last = curve.points.at(-1);
  const name = scoreText(curve.score);
  return {
    title: `How many labels “${brief(curve.label)}” takes`,
    verdicts: [
      {
        question: `How many labelled groups does “${brief(curve.label)}” take?`,
        finding: first === undefined ? "not shown" : "in part",
        number: first === undefined ? "–" : String(Math.round(first.groups)),
        unit:
          first === undefined
            ? "no number of groups rises above chance"
            : "groups are the fewest that rise above chance",
        interval: last
          ? `with ${Math.round(last.groups)} groups ${name} ${estimateText(last.score, score)}`
          : "",
        control: `chance, ${chance}; this document has no other control; a layer sweep has`,
      },
    ],
    reading: [
      "The same probe fitted on fewer and fewer labelled groups, always scored on the same held-out ones.",
    ],
    figures: [() => plotLabelEfficiency(curve)],
    tables: [
      {
        caption: html`<b>By labelled groups.</b> Mean and middle 95% of ${counted(curve.repeats, "repeat")}.`,
        columns: [{ head: "groups" }, { head: "rows" }, { head: name }],
        rows: curve.points.map(({ groups, rows, score: own }) => ({
          head: decimals(1)(groups),
          value: groups,
          cells: [numberCell(rows, decimals(1)), estimateCell(own, score)],
        })),
      },
    ],
    facts: [
      ["Layer", curve.layer],
      ["Probe", probeText(curve.probe)],
      ["Split", curve.split],
      ["Rows", curve.n.toLocaleString("en")],
      ["Groups", curve.groups.toLocaleString("en")],
      ["Folds", curve.folds],
      ...drawFacts(curve),
    ],
    notes: curve.notes,
  };
}

export function viewDirectionStability(stability: DirectionStability): ResultView {
  const { halves, toFull, chance } = stability;
  const beyond = isAbove(halves, { value: chance, low: null, high: null });
  return {
    title: `Whether other rows give the same direction of “${brief(stability.label)}”`,
    verdicts: [
      {
        question: "Would other rows give the same direction?",
        finding: halves.value === null ? "not measured" : beyond ? "shown" : "not shown",
        number: halves.value === null ? "–" : score(halves.value),
        unit: "mean cosine of directions from two halves of the groups",
        interval: `middle 95% of draws ${intervalText(halves, score)}`,
        control: `random directions: within ±${score(chance)}`,
      },
    ],
    reading: [
      "“Shown” means that the halves agree more than random directions do. How alike they are is the number itself: 1 is the same direction.",
    ],
    figures: [],
    tables: [
      {
        caption: html`<b>Cosines.</b>`,
        columns: [{ head: "Of" }, { head: "cosine", note: "middle 95% of draws" }],
        rows: [
          { head: "two halves of the groups", cells: [estimateCell(halves, score)] },
          { head: "redrawn groups, with all rows", cells: [estimateCell(toFull, score)] },
          { head: "random directions, at most", cells: [numberCell(chance, score)] },
        ],
      },
    ],
    facts: [
      ["Layer", stability.layer],
      ["Probe", probeText(stability.probe)],
      ["C", stability.C ?? "–"],
      ["Rows", stability.n.toLocaleString("en")],
      ["Groups", stability.groups.toLocaleString("en")],
      ...drawFacts(stability),
    ],
    notes: stability.notes,
  };
}
