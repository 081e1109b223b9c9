import { html, type Markup } from "../plots/html-markup.ts";
import { findingMarks, type Finding, type Verdict } from "./finding.ts";
import type { ViewTable } from "./report-table.ts";
import { wordsCell } from "./report-table.ts";

export function badge(finding: Finding): Markup {
  return html`<span class="badge ${finding.replace(" ", "-")}">${findingMarks[finding]} ${finding}</span>`;
}

/** A verdict as a card; with `of`, its question leads to the section with that id, and the file is named. */
export function verdictCard(verdict: Verdict, of?: { id: string; file: string }): Markup {
  const { question, finding, number, unit, interval, control } = verdict;
  return html`<li>
    <b>${of === undefined ? question : html`<a href="#${of.id}">${question}</a>`}</b>
    ${of !== undefined && html`<p class="quiet">${of.file}</p>`}
    <span class="number">${number}</span>
    <p>${unit}</p>
    <p>${interval}</p>
    <p class="quiet">${control !== "" && html`Control: ${control}`}</p>
    ${badge(finding)}
  </li>`;
}

/** A verdict as a line: what was asked, what came of it, against what. */
export function verdictLine({ question, finding, number, unit, interval, control }: Verdict): Markup {
  return html`<li>
    ${badge(finding)} <b>${question}</b> ${number}
    ${unit}${interval !== "" && html`; ${interval}`}${
      control !== "" && html`. <span class="quiet">Control: ${control}</span>`
    }
  </li>`;
}

/** Every verdict of a run in one table. */
export function verdictTable(verdicts: readonly { verdict: Verdict; id: string; file: string }[]): ViewTable {
  return {
    caption: html`<b>Every question of this run.</b>`,
    columns: [
      { head: "Question" },
      { head: "finding" },
      { head: "number" },
      { head: "control" },
      { head: "from" },
    ],
    rows: verdicts.map(({ verdict, id, file }) => ({
      head: html`<a href="#${id}">${verdict.question}</a>`,
      cells: [
        html`<td class="words">${badge(verdict.finding)}</td>`,
        wordsCell(html`${verdict.number} ${verdict.unit}<small>${verdict.interval}</small>`),
        wordsCell(verdict.control),
        wordsCell(file),
      ],
    })),
  };
}

export const findingsNote = html`<p class="note">
  “Shown” means that no control does as well: the interval of the number, or of its gain over a control on the
  same rows, lies wholly above. In a layer sweep random directions stand beside the score, and decide nothing.
  “In part”: above chance, without a control that could explain it. “Explained”: a control does as well.
  “Description”: it claims nothing. Intervals are 95%.
</p>`;
