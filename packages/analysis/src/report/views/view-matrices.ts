import { plotCosineMatrix } from "../../plots/cosine-matrix.ts";
import { html } from "../../plots/html-markup.ts";
import { counted, decimals, estimateText, probeText, scoreText } from "../../plots/plot-format.ts";
import { plotTransferMatrix } from "../../plots/transfer-matrix.ts";
import type { CosineMatrix } from "../../results/cosine-matrix.ts";
import type { TransferMatrix } from "../../results/transfer-matrix.ts";
import { estimateCell, numberCell, wordsCell } from "../report-table.ts";
import { brief, countAbove, description, drawFacts, type ResultView } from "./result-view.ts";

const score = decimals(3);

export function viewTransferMatrix(matrix: TransferMatrix): ResultView {
  const across = matrix.cells.filter(({ diagonal }) => !diagonal);
  const chance = matrix.score === "r2" ? 0 : 0.5;
  const above = countAbove(
    across.map((cell) => cell.score),
    chance,
  );
  const [worst] = across
    .filter((cell) => cell.score.value !== null)
    .sort((a, b) => (a.score.value ?? 0) - (b.score.value ?? 0));
  const name = scoreText(matrix.score);
  return {
    title: `Whether a probe of “${brief(matrix.label)}” carries over to other data`,
    verdicts: [
      {
        question: `Does a probe of “${brief(matrix.label)}” carry over to other data?`,
        finding: above === 0 ? "not shown" : above === across.length ? "shown" : "in part",
        number: `${above} of ${across.length}`,
        unit: "pairs of different datasets whose whole interval lies above chance",
        interval: worst
          ? `worst: ${brief(worst.train, 30)} → ${brief(worst.test, 30)}, ${name} ${estimateText(worst.score, score)}`
          : "",
        control: `chance, ${chance}; held-out scores of each dataset itself stand on the diagonal`,
      },
    ],
    reading: [
      html`A probe (${probeText(matrix.probe)}, layer ${matrix.layer}) is fitted on one dataset and scored on
      another. On the diagonal, where both are one, the score is cross-validated.`,
    ],
    figures: [() => plotTransferMatrix(matrix)],
    tables: [
      {
        caption: html`<b>Every pair.</b> ${name} with its 95% interval, groups of the dataset scored on
          redrawn.`,
        columns: [
          { head: "Fitted on" },
          { head: "scored on" },
          { head: name },
          { head: "C" },
          { head: "rows fitted" },
          { head: "left out", note: "groups in both" },
        ],
        rows: matrix.cells.map((cell) => ({
          head: cell.train,
          marked: cell.diagonal,
          cells: [
            wordsCell(html`${cell.test}${cell.diagonal && html`<small>itself, held out</small>`}`),
            estimateCell(cell.score, score),
            numberCell(cell.C, String, "–"),
            numberCell(cell.trained),
            numberCell(cell.leftOut),
          ],
        })),
      },
    ],
    facts: [
      ["Label", brief(matrix.label)],
      ["Layer", matrix.layer],
      ["Probe", probeText(matrix.probe)],
      ["Folds", matrix.folds],
      [
        "Datasets",
        matrix.datasets
          .map(
            ({ name: own, n, groups }) =>
              `${brief(own, 40)}: ${counted(n, "row")}, ${counted(groups, "group")}`,
          )
          .join("; "),
      ],
      ...drawFacts(matrix),
    ],
    notes: matrix.notes,
  };
}

export function viewCosineMatrix(matrix: CosineMatrix): ResultView {
  const alike = matrix.pairs.filter(({ cosine }) => cosine !== null && Math.abs(cosine) > matrix.chance);
  const [most] = matrix.pairs.toSorted((a, b) => Math.abs(b.cosine ?? 0) - Math.abs(a.cosine ?? 0));
  return {
    title: "How alike directions are",
    verdicts: [
      {
        ...description(
          "Which directions are alike?",
          `${alike.length} of ${matrix.pairs.length}`,
          "pairs farther from a right angle than 95% of random directions",
        ),
        interval:
          most?.cosine == null
            ? ""
            : `nearest: ${brief(most.first, 30)} and ${brief(most.second, 30)}, cosine ${score(most.cosine)}`,
        control: `random directions of ${matrix.width.toLocaleString("en")} numbers: within ±${score(matrix.chance)}`,
      },
    ],
    reading: [
      "The cosine of two directions: 1 is the same direction, 0 a right angle, −1 the opposite one. Directions of one model share large common parts, so a cosine beyond chance alone is no likeness of meaning.",
    ],
    figures: [() => plotCosineMatrix(matrix)],
    tables: [
      {
        caption: html`<b>Every pair.</b>`,
        columns: [{ head: "Direction" }, { head: "and" }, { head: "cosine" }],
        rows: matrix.pairs.map(({ first, second, cosine, reason }) => ({
          head: first,
          cells: [wordsCell(second), numberCell(cosine, score, reason)],
        })),
      },
      {
        caption: html`<b>The directions.</b>`,
        columns: [{ head: "Direction" }, { head: "layer" }, { head: "length" }],
        rows: matrix.directions.map(({ name, layer, norm }) => ({
          head: name,
          cells: [numberCell(layer, String, "not known"), numberCell(norm, decimals(4))],
        })),
      },
    ],
    facts: [
      ["Width", matrix.width.toLocaleString("en")],
      ["Chance", `±${score(matrix.chance)}`],
    ],
    notes: matrix.notes,
  };
}
