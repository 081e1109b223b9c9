import type { ColumnField, ColumnValue } from "../../shards/column-field.ts";
import { shown } from "../../options/shown.ts";
import { missingColumn } from "../missing-column.ts";
import type { RowSource } from "../row-source.ts";
import { badOption } from "./view-parts.ts";
import { isWellFormed } from "../../shards/well-formed.ts";

type Scalar = string | number | boolean | null;

/** For each column the value, or the values, that a row may have there; null is no value. */
export type ColumnConditions = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** Values of the named columns in one row. */
export type RowValues = Readonly<Record<string, ColumnValue>>;

/** A test of rows, and what it is in words. */
export interface RowCondition {
  columns: readonly string[];
  test: (values: readonly ColumnValue[]) => boolean;
  how: string;
}

/** Conditions as data. Throws DatasetError `no_such_column`, and InvalidRequestError for a value that the column cannot have. */
export function columnConditions(
  conditions: ColumnConditions,
  { source, name }: { source: RowSource; name: string },
): RowCondition {
  if (typeof conditions !== "object" || (conditions as unknown) === null)
    throw badOption("filter", shown(conditions), "an object of columns and their values");
  const entries = Object.entries(conditions);
  if (entries.length === 0) throw badOption("filter", "no condition", "at least one column with its values");
  const allowed = entries.map(([column, given]) => {
    const field = source.fields.find((candidate) => candidate.name === column);
    if (field === undefined) throw missingColumn(name, column, source.fields);
    // A hole in a list is a value that was forgotten too.
    const values: readonly unknown[] = Array.isArray(given) ? Array.from(given) : [given];
    const at = values.findIndex((value) => value !== null && !fits(value, field));
    if (at >= 0 || values.length === 0 || field.type === "int32[]")
      throw badOption(`filter.${column}`, shown(at >= 0 ? values[at] : given), allowedValue(field));
    return new Set(values as readonly Scalar[]);
  });
  const words = entries.map(([column, given]) =>
    Array.isArray(given) ? `${column} in [${given.map(inWords).join(",")}]` : `${column} = ${inWords(given)}`,
  );
  return {
    columns: entries.map(([column]) => column),
    test: (values) => allowed.every((any, c) => any.has(values[c] as Scalar)),
    how: `filter ${words.join(", ")}`,
  };
}

/** JSON has no NaN and no infinity. */
function inWords(value: unknown): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

/** A function of named columns. Throws DatasetError `no_such_column`. */
export function functionCondition(
  columns: readonly string[],
  keep: (row: RowValues) => boolean,
  { source, name, words }: { source: RowSource; name: string; words?: string | undefined },
): RowCondition {
  const absent = columns.find((column) => !source.columns.includes(column));
  if (absent !== undefined) throw missingColumn(name, absent, source.fields);
  if (typeof keep !== "function") throw badOption("filter", typeof keep, "a function of a row's values");
  return {
    columns,
    test: (values) => {
      const answer: unknown = keep(
        Object.fromEntries(columns.map((column, c) => [column, values[c] as ColumnValue])),
      );
      // A promise would count as true for every row.
      if (typeof answer !== "boolean")
        throw badOption(
          "filter",
          `a function that returned ${typeof answer}`,
          "one that returns true or false",
        );
      return answer;
    },
    how: `filter ${words ?? `by a function of ${columns.join(", ")}`}`,
  };
}

function fits(value: unknown, { type }: ColumnField): boolean {
  if (type === "bool") return typeof value === "boolean";
  // Half of a surrogate pair has no UTF-8, so no column has it.
  if (type === "utf8") return typeof value === "string" && isWellFormed(value);
  if (type === "int32") return Number.isInteger(value) && (value as number) === ((value as number) | 0);
  return typeof value === "number";
}

function allowedValue({ type }: ColumnField): string {
  if (type === "int32[]") return "a column of single values; lists take a function";
  const kind = {
    bool: "true or false",
    utf8: "a well-formed text",
    float64: "a number",
    int32: "a whole number of 32 bits",
  }[type];
  return `${kind}, null, or a list of at least one of these`;
}
