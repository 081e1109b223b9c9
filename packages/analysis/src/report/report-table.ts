import { html, type Content, type Markup } from "../plots/html-markup.ts";
import { intervalText } from "../plots/plot-format.ts";
import type { Estimate } from "../results/estimate.ts";

/** A number with its interval beneath, or the reason why there is none. */
export function estimateCell(
  estimate: Estimate | undefined,
  format: (value: number) => string,
  absent = "not measured",
): Markup {
  if (estimate === undefined) return html`<td class="none">${absent}</td>`;
  if (estimate.value === null)
    return html`<td class="none">not defined<small>${estimate.reason}</small></td>`;
  return html`<td>${format(estimate.value)}<small>${intervalText(estimate, format)}</small></td>`;
}

export interface Column {
  head: string;
  /** A second, quiet line: what the column is the control of, say. */
  note?: string;
}

export interface Row {
  head: Content;
  cells: Content[];
  marked?: boolean;
}

/** A table with a caption, row heads and a scroll box of its own, so that a wide one never widens the page. */
export function dataTable(caption: Content, columns: Column[], rows: Row[]): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table, scrolls sideways">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ head, note }) => html`<th scope="col">${head}${note !== undefined && html`<small>${note}</small>`}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ head, cells, marked }) =>
            html`<tr${marked === true && html` class="marked"`}><th scope="row">${head}</th>${cells}</tr>
            `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Names and values side by side. */
export function factList(facts: readonly (readonly [string, Content])[]): Markup {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
