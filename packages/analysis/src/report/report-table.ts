import { Markup, html, type Content } from "../plots/html-markup.ts";
import { counted, intervalText, signed } from "../plots/plot-format.ts";
import type { Estimate } from "../results/estimate.ts";

/** A number with its interval beneath, or the reason why there is none. */
export function estimateCell(
  estimate: Estimate | undefined,
  format: (value: number) => string,
  absent = "not measured",
): Markup {
  if (estimate === undefined) return html`<td class="none" data-v="">${absent}</td>`;
  if (estimate.value === null)
    return html`<td class="none" data-v="">not defined<small>${estimate.reason}</small></td>`;
  return html`<td data-v="${estimate.value}">
    ${format(estimate.value)}<small>${intervalText(estimate, format)}</small>
  </td>`;
}

/** A number, sorted by its value; null is told by `absent`. */
export function numberCell(
  value: number | null | undefined,
  format: (value: number) => string = (given) => signed(given),
  absent = "not measured",
): Markup {
  if (value === null || value === undefined) return html`<td class="none" data-v="">${absent}</td>`;
  return html`<td data-v="${value}">${format(value)}</td>`;
}

const wordsStart = `<td class="words`;

/** Words, to the left. */
export function wordsCell(content: Content): Markup {
  return html`${new Markup(wordsStart)}">${content}</td>`;
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
  /** What the row is sorted by in the first column, where it is a number. */
  value?: number | undefined;
}

/** A head that fits one line: numbers and names, with a small word beside or beneath them. */
function isShort(head: Content): boolean {
  const text = head instanceof Markup ? head.text.replace(/<small>.*?<\/small>/gs, "") : String(head);
  return text.trim().length <= 20;
}

/** A table with a caption, row heads and a scroll box of its own, so that a wide one never widens the page. Of more than `most` rows the rest is counted. */
export function dataTable(caption: Content, columns: Column[], rows: Row[], most = Infinity): Markup {
  const isWords = (column: number): boolean => {
    const cell = rows[0]?.cells[column - 1];
    return cell instanceof Markup && cell.text.startsWith(wordsStart);
  };
  const left = rows.length - Math.min(rows.length, most);
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table, scrolls sideways">
      <table>
        <caption>
          <span>${caption}</span>
        </caption>
        <thead>
          <tr>
            ${columns.map(({ head, note }, index) => html`<th scope="col" ${isWords(index) && html` class="words"`}>${head}${note !== undefined && html`<small>${note}</small>`}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, most).map(
            ({ head, cells, marked, value }) =>
              html`<tr${marked === true && html` class="marked"`}><th scope="row"${isShort(head) && html` class="short"`}${value !== undefined && html` data-v="${value}"`}>${head}</th>${cells}</tr>
            `,
          )}
        </tbody>
      </table>
    </div>
    ${left > 0 && html`<p class="note">${counted(left, "more row")} are not shown here, for the size of the page: they are in the data.</p>`}`;
}

/** Names and values side by side. */
export function factList(facts: readonly (readonly [string, Content])[]): Markup {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div${typeof value === "string" && value.length > 120 && html` class="wide"`}>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A table before it is HTML. */
export interface ViewTable {
  caption: Content;
  columns: Column[];
  rows: Row[];
}

export function viewTable({ caption, columns, rows }: ViewTable, most = Infinity): Markup {
  return dataTable(caption, columns, rows, most);
}
