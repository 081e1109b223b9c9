import { plotCaptureCost } from "../../plots/capture-cost-plot.ts";
import { plotScoreHistogram } from "../../plots/score-histogram.ts";
import { plotProjection } from "../../plots/projection-plot.ts";
import { html } from "../../plots/html-markup.ts";
import { counted, decimals, percent } from "../../plots/plot-format.ts";
import type { CaptureCost } from "../../results/capture-cost.ts";
import type { Projection } from "../../results/projection.ts";
import type { ScoreHistogram } from "../../results/score-histogram.ts";
import { numberCell, wordsCell } from "../report-table.ts";
import { brief, description, type ResultView } from "./result-view.ts";

const three = decimals(3);
const big = (value: number): string => value.toLocaleString("en");

export function viewProjection(projection: Projection): ResultView {
  const { method, axes, n, groups, classes } = projection;
  return {
    title: `Rows of layer ${projection.layer} on a plane, by “${brief(projection.label)}”`,
    verdicts: [
      description(
        `Do the classes of “${brief(projection.label)}” lie apart?`,
        counted(n, "row"),
        `of ${counted(classes.length, "class").replace("classs", "classes")} on two axes; a picture, no test: a layer sweep has one`,
      ),
    ],
    reading: [
      method === "lda"
        ? html`Discriminant axes, fitted without each row's own ${brief(projection.group)}: no row is placed
          by its own label.`
        : html`The two directions along which the rows differ most. They know nothing of the labels.`,
    ],
    figures: [() => plotProjection(projection)],
    tables: [
      {
        caption: html`<b>The classes.</b> The ellipse holds the share of a normal cloud of the same spread.`,
        columns: [
          { head: "Class" },
          { head: "rows" },
          { head: "mean x" },
          { head: "mean y" },
          { head: "half axes" },
          { head: "share" },
        ],
        rows: projection.ellipses.map(({ label, n: rows, x, y, a, b, share }) => ({
          head: String(label),
          cells: [
            numberCell(rows, big),
            numberCell(x, three),
            numberCell(y, three),
            html`<td data-v="${a}">${three(a)} × ${three(b)}</td>`,
            numberCell(share, percent),
          ],
        })),
      },
      {
        caption: html`<b>The rows.</b>`,
        columns: [
          { head: "Example" },
          { head: brief(projection.group, 40) },
          { head: "class" },
          { head: "x" },
          { head: "y" },
        ],
        rows: projection.points.map(({ example, group, label, x, y }) => ({
          head: example,
          cells: [wordsCell(group), wordsCell(String(label)), numberCell(x, three), numberCell(y, three)],
        })),
      },
    ],
    facts: [
      ["Method", method.toUpperCase()],
      ...axes.map(
        ({ name, variance }, index) =>
          [
            `Axis ${index + 1}`,
            `${brief(name)}${variance === null ? "" : `, ${percent(variance)} of the variance`}`,
          ] as const,
      ),
      ["Groups", `${big(groups)} (by ${brief(projection.group)})`],
    ],
    notes: projection.notes,
  };
}

export function viewScoreHistogram(histogram: ScoreHistogram): ResultView {
  const { classes, edges, threshold } = histogram;
  return {
    title: `How ${brief(histogram.score)} is spread by class`,
    verdicts: [
      description(
        "How are the scores of each class spread?",
        counted(histogram.n, "score"),
        classes
          .map(({ label, mean }) => `${brief(String(label), 30)}: mean ${mean === null ? "–" : three(mean)}`)
          .join("; "),
      ),
    ],
    reading: [
      threshold === null
        ? "Scores of all classes in the same bins."
        : `Scores of all classes in the same bins. A decision is made at ${three(threshold)}.`,
    ],
    figures: [() => plotScoreHistogram(histogram)],
    tables: [
      {
        caption: html`<b>Scores in each bin.</b>`,
        columns: [
          { head: "from" },
          { head: "to" },
          ...classes.map(({ label, n }) => ({ head: brief(String(label), 40), note: `of ${big(n)}` })),
        ],
        rows: edges.slice(1).map((high, bin) => ({
          head: three(edges[bin]!),
          value: edges[bin],
          cells: [numberCell(high, three), ...classes.map(({ counts }) => numberCell(counts[bin], big))],
        })),
      },
    ],
    facts: [
      ["Rows", big(histogram.n)],
      ["Groups", big(histogram.groups)],
      ["Threshold", threshold === null ? "none" : three(threshold)],
    ],
    notes: [],
  };
}

export function viewCaptureCost(cost: CaptureCost): ResultView {
  const fits = cost.plans.filter((plan) => plan.fits).length;
  return {
    title: "What planned captures take",
    verdicts: [
      description(
        "Do the planned captures fit?",
        `${fits} of ${cost.plans.length}`,
        `stay within ${big(cost.limit)} numbers a capture`,
      ),
    ],
    reading: [
      html`Layers × positions × hidden size (${big(cost.hiddenSize)}), against what one capture may hold.`,
    ],
    figures: [() => plotCaptureCost(cost)],
    tables: [
      {
        caption: html`<b>Every plan.</b>`,
        columns: [
          { head: "Plan" },
          { head: "layers" },
          { head: "positions" },
          { head: "numbers" },
          { head: "of the limit" },
          { head: "what would fit" },
        ],
        rows: cost.plans.map((plan) => ({
          head: plan.name,
          cells: [
            numberCell(plan.layers, big),
            numberCell(plan.positions, big),
            numberCell(plan.numbers, big),
            numberCell(plan.numbers / cost.limit, percent),
            wordsCell(plan.wouldFit ?? "it fits"),
          ],
        })),
      },
    ],
    facts: [
      ["Hidden size", big(cost.hiddenSize)],
      ["Limit", `${big(cost.limit)} numbers`],
    ],
    notes: [],
  };
}
