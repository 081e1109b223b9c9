import { html, type Markup } from "../plots/html-markup.ts";
import { counted, percent } from "../plots/plot-format.ts";
import type { ReportInput } from "./report-schema.ts";
import { dataTable, estimateCell } from "./report-table.ts";

/** What the model answers by itself: without right answers there is little to find inside it. */
export function answersSection({ answers }: ReportInput): Markup | undefined {
  if (answers === undefined || answers.length === 0) return undefined;
  const columns = [
    { head: "Asked" },
    { head: "right", note: "likeliest next token" },
    { head: "an answer at all", note: "one of the choices" },
  ];
  const rows = answers.map(({ title, choices, right, valid }) => ({
    head: html`${title}<small
        >${choices.map((choice) => choice.trim()).join(" or ")}; ${counted(right.n ?? 0, "question")}</small
      >`,
    cells: [estimateCell(right, percent), estimateCell(valid, percent)],
  }));
  return html`<section id="answers">
    <h2>What the model answers by itself</h2>
    <p>
      The model is asked for its likeliest next token, with nothing added to its stream. Guessing would be
      right about half the time.
    </p>
    ${dataTable(html`Each number with its 95% cluster-bootstrap interval beneath.`, columns, rows)}
  </section>`;
}
