import { choiceNames } from "../plots/choice-names.ts";
import { plotDoseCurve } from "../plots/dose-curve.ts";
import { html, type Markup } from "../plots/html-markup.ts";
import { counted, decimals, estimateText, percent, scaleText, signed } from "../plots/plot-format.ts";
import { figureMarkup } from "./figure-markup.ts";
import type { ReportInput } from "./report-schema.ts";
import { estimateCell, numberCell, viewTable, type ViewTable } from "./report-table.ts";
import { strongestSide } from "./report-words.ts";
import type { SteeringEvaluation } from "../results/steering-evaluation.ts";

const nats = decimals(2);

/** At scale 0 there is nothing to compare: no direction is added. */
function absentTwins(scale: number): string {
  return scale === 0 ? "–" : "not measured";
}

export function flipsTable(evaluation: SteeringEvaluation, marked: ReadonlySet<number>): ViewTable {
  const [first, second] = choiceNames(evaluation);
  const twinsAt = (scale: number) => evaluation.twins.find((twin) => twin.scale === scale);
  const counts = [...new Set(evaluation.twins.map(({ count }) => count))].join(" or ");
  return {
    caption: html`<b>Answers turned, and what random directions do.</b> Twins: the mean of ${counts} random
      directions of the same length, with the 95% interval of that mean. Marked: the strongest scale of each
      side with enough valid answers, picked after looking at all of them.`,
    columns: [
      { head: "Scale" },
      { head: `to “${first}”`, note: `of “${second}”` },
      { head: "twins", note: `control, to “${first}”` },
      { head: `to “${second}”`, note: `of “${first}”` },
      { head: "twins", note: `control, to “${second}”` },
      { head: "twins", note: "control, either way" },
      { head: "strongest twin", note: "either way" },
    ],
    rows: evaluation.scales.map((entry) => {
      const twin = twinsAt(entry.scale);
      const absent = absentTwins(entry.scale);
      return {
        head: html`${scaleText(entry.scale)}${entry.verdict !== undefined && html`<small>${entry.verdict}</small>`}`,
        value: entry.scale,
        marked: marked.has(entry.scale),
        cells: [
          estimateCell(entry.toFirst, percent),
          estimateCell(twin?.toFirst, percent, absent),
          estimateCell(entry.toSecond, percent),
          estimateCell(twin?.toSecond, percent, absent),
          estimateCell(twin?.flipped, percent, absent),
          numberCell(twin?.max, percent, absent),
        ],
      };
    }),
  };
}

export function damageTable(evaluation: SteeringEvaluation, marked: ReadonlySet<number>): ViewTable {
  const [first, second] = choiceNames(evaluation);
  return {
    caption: html`<b>How far, and at what price.</b> Shift: the mean change of log p(${first}) − log
      p(${second}) against scale 0, in nats; beside it the same change for two other tokens that were about as
      likely.`,
    columns: [
      { head: "Scale" },
      { head: "shift", note: "nats" },
      { head: "other tokens", note: "control, nats" },
      { head: "valid answers" },
      { head: "twins", note: "control, valid answers" },
      { head: "perplexity", note: "of neutral text" },
    ],
    rows: evaluation.scales.map((entry) => ({
      head: scaleText(entry.scale),
      value: entry.scale,
      marked: marked.has(entry.scale),
      cells: [
        estimateCell(entry.shift, nats),
        estimateCell(entry.controlShift, nats),
        estimateCell(entry.valid, percent),
        estimateCell(
          evaluation.twins.find(({ scale }) => scale === entry.scale)?.valid,
          percent,
          absentTwins(entry.scale),
        ),
        entry.perplexity === null
          ? numberCell(null)
          : html`<td data-v="${entry.perplexity.ratio}">
              ${signed(entry.perplexity.value, 2)}<small>×${signed(entry.perplexity.ratio, 2)}</small>
            </td>`,
      ],
    })),
  };
}

function baselineNote({ baseline, baselineNoise }: SteeringEvaluation): Markup {
  return html`<p class="note">
    At scale 0, ${estimateText(baseline.asExpected, percent)} of the prompts get the expected answer; only
    these can be turned. The same baseline asked again (${counted(baselineNoise.repeats, "repeat")}) changed
    ${counted(baselineNoise.changedAnswers, "answer")} and moved log probabilities by at most
    ${signed(baselineNoise.maxShift, 3)} nats: an effect must be larger to mean anything.
  </p>`;
}

export function steeringSection({ steering }: ReportInput): Markup {
  const figure = plotDoseCurve(steering);
  const [first, second] = choiceNames(steering);
  const sides = (["toFirst", "toSecond"] as const).flatMap((key) => strongestSide(steering, key) ?? []);
  const marked = new Set(sides.map(({ steered }) => steered.scale));
  return html`<section id="steering">
    <h2>What steering does</h2>
    <div class="beside">
      ${figureMarkup(() => figure)}
      <aside>
        <p>
          <b>What is done.</b> A direction (${steering.directionMethod}) times a scale is added to the output
          of layer ${steering.layer} while the model reads and answers. At scale 0 nothing is added; negative
          scales subtract.
        </p>
        <p>
          <b>What is counted.</b> Blue: of the prompts answered “${second}” at scale 0, the share now answered
          “${first}”. Orange: the other way round. The faint band is the interval.
        </p>
        <p>
          <b>The control.</b> <i>Random twins</i> are random directions of the same length. If they turned
          answers too, any push would do, and the direction would mean nothing.
        </p>
        <p>
          <b>The price.</b> <i>Valid answers</i>: the share that is still “${first}” or “${second}”.
          <i>Perplexity</i>: how surprised the steered model is by ordinary text; ×1 is unharmed, ×2 twice as
          surprised.
        </p>
      </aside>
    </div>
    ${viewTable(flipsTable(steering, marked))} ${viewTable(damageTable(steering, marked))}
    ${baselineNote(steering)}
    ${
      steering.notes.length > 0 &&
      html`<ul class="notes">
        ${steering.notes.map((note) => html`<li>${note}</li>`)}
      </ul>`
    }
  </section>`;
}
