import type { Table } from "apache-arrow";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { shown } from "../options/shown.ts";
import { estimateSchema } from "../results/estimate.ts";
import { html, type Markup } from "./html-markup.ts";
import { plainText } from "./html-text.ts";
import { decimals, estimateText, signed } from "./plot-format.ts";
import { jupyterDisplay } from "./svg-figure.ts";

export interface ShowTableOptions {
  /** Rows that are shown (default 20); those left out are counted. */
  maxRows?: number;
  /** Digits after the point of numbers that are not whole (default 3). */
  digits?: number;
}

/** Rows that show themselves in a notebook, and as text elsewhere. */
export interface ShownTable {
  /** An HTML table without styles: it takes those of the page. */
  readonly html: string;
  /** Columns of text, aligned. */
  toString(): string;
  [jupyterDisplay](): Record<string, string>;
}

type Row = Readonly<Record<string, unknown>>;
interface Cell {
  text: string;
  /** Numbers stand at the right of their column. */
  number: boolean;
}

const optionsSchema = z.strictObject({
  maxRows: z.int().min(1).max(10_000).default(20),
  digits: z.int().min(0).max(15).default(3),
});
const rowsSchema = z.array(z.record(z.string(), z.unknown()), "a list of objects, or an Arrow table");
const longest = 400;

/**
 * A table for people: an object a row, or an Arrow table such as `toTable` gives. An estimate is written with its interval, null and what is
 * missing as a dash, and texts with what cannot be seen in them made visible. Throws InvalidRequestError.
 */
export function showTable(rows: readonly Row[] | Table, options: ShowTableOptions = {}): ShownTable {
  const { maxRows, digits } = checkOptions(optionsSchema, options, "showTable");
  const { total, first, columns } = read(rows, maxRows);
  const cells = first.map((row) => columns.map((column) => cellOf(row[column], digits)));
  const rest = total > first.length ? `… ${total - first.length} more rows of ${total}` : undefined;
  const text = alignedText(columns, cells, rest);
  const table = tableMarkup(columns, cells, rest).text;
  return {
    html: table,
    toString: () => text,
    [jupyterDisplay]: () => ({ "text/html": table, "text/plain": text }),
  };
}

function read(
  rows: readonly Row[] | Table,
  maxRows: number,
): { total: number; first: readonly Row[]; columns: readonly string[] } {
  if (isArrow(rows)) {
    const first = rows.slice(0, maxRows).toArray() as { toJSON(): Row }[];
    const columns = rows.schema.fields.map(({ name }) => name);
    return { total: rows.numRows, first: first.map((row) => row.toJSON()), columns };
  }
  const checked = checkOptions(rowsSchema, rows, "showTable", "rows");
  const first = checked.slice(0, maxRows);
  return { total: checked.length, first, columns: [...new Set(first.flatMap((row) => Object.keys(row)))] };
}

function isArrow(rows: readonly Row[] | Table): rows is Table {
  return typeof (rows as Partial<Table> | null)?.numRows === "number";
}

function cellOf(value: unknown, digits: number): Cell {
  if (value === null || value === undefined) return { text: "–", number: false };
  if (typeof value === "number") {
    const text = Number.isInteger(value) || !Number.isFinite(value) ? signed(value) : signed(value, digits);
    return { text: Number.isFinite(value) ? text : String(value), number: true };
  }
  if (typeof value === "string") return { text: plainText(value, longest), number: false };
  if (typeof value === "boolean" || typeof value === "bigint")
    return { text: String(value), number: typeof value === "bigint" };
  const estimate = estimateSchema.safeParse(value);
  if (estimate.success) return { text: estimateText(estimate.data, decimals(digits)), number: true };
  return { text: plainText(shown(value), longest), number: false };
}

function alignedText(columns: readonly string[], cells: readonly Cell[][], rest: string | undefined): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index]!.text.length)),
  );
  const line = (texts: readonly string[], number: (index: number) => boolean): string =>
    texts
      .map((text, index) => (number(index) ? text.padStart(widths[index]!) : text.padEnd(widths[index]!)))
      .join("  ")
      .trimEnd();
  return [
    line(columns, (index) => isNumeric(cells, index)),
    line(
      widths.map((width) => "─".repeat(width)),
      () => false,
    ),
    ...cells.map((row) =>
      line(
        row.map(({ text }) => text),
        (index) => isNumeric(cells, index),
      ),
    ),
    ...(rest === undefined ? [] : [rest]),
  ].join("\n");
}

/** A dash, for what is missing, stands as its column does. */
function isNumeric(cells: readonly Cell[][], index: number): boolean {
  return (
    cells.some((row) => row[index]!.number) &&
    cells.every((row) => row[index]!.number || row[index]!.text === "–")
  );
}

function tableMarkup(columns: readonly string[], cells: readonly Cell[][], rest: string | undefined): Markup {
  const side = (index: number): string => (isNumeric(cells, index) ? "right" : "left");
  return html`<table>
    <thead>
      <tr>
        ${columns.map((column, index) => html`<th scope="col" style="text-align:${side(index)}">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${cells.map(
        (row) =>
          html`<tr>
            ${row.map(({ text }, index) => html`<td style="text-align:${side(index)}">${text}</td>`)}
          </tr>`,
      )}
    </tbody>
    ${
      rest !== undefined &&
      html`<tfoot>
        <tr>
          <td colspan="${columns.length}" style="text-align:left">${rest}</td>
        </tr>
      </tfoot>`
    }
  </table>`;
}
