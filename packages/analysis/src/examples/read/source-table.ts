import { ExactNumber } from "./exact-number.ts";

/** A value as a file has it: integers that a number would round are bigints, other numbers that it would change their text; lists and objects as in JSON. */
export type Cell =
  | null
  | boolean
  | number
  | bigint
  | ExactNumber
  | string
  | readonly Cell[]
  | { readonly [key: string]: Cell };

export interface SourceRow {
  /** Where it stands, for errors: `line 3`, `row 3`, `sample "a" of epoch 1`. */
  where: string;
  cells: Readonly<Record<string, Cell>>;
}

/** What a file holds, before it is known which column is which. */
export interface SourceTable {
  /** In the order of the file, or of their first appearance. */
  columns: readonly string[];
  rows: readonly SourceRow[];
  /** Columns that are labels unless others are asked for, by the labels' names. */
  labels?: Readonly<Record<string, string>>;
  /** Whether all cells are text (CSV), so that a number is told by its form. */
  isText?: boolean;
}

export function isList(cell: Cell | undefined): cell is readonly Cell[] {
  return Array.isArray(cell);
}

export function isObject(cell: Cell | undefined): cell is { readonly [key: string]: Cell } {
  return typeof cell === "object" && cell !== null && !Array.isArray(cell) && !(cell instanceof ExactNumber);
}

/** Columns by their first appearance in rows that are objects. */
export function columnsOf(rows: readonly SourceRow[]): string[] {
  return [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))];
}
