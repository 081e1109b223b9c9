import { createHash } from "node:crypto";
import { extraColumns } from "../../examples/example-columns.ts";
import { shown } from "../../options/shown.ts";
import { isReserved, type ColumnField, type ColumnValue } from "../../shards/column-field.ts";
import { badOption } from "./view-parts.ts";
import { isWellFormed } from "../../shards/well-formed.ts";

/** One row of a table: its key, and values of the columns that it brings. A column that a row lacks has no value there. */
export type JoinRow = Readonly<Record<string, string | number | boolean | null>>;

/** A table that was checked, by its key. */
export interface JoinTable {
  fields: readonly ColumnField[];
  columns: ReadonlyMap<string, readonly ColumnValue[]>;
  /** Where the row of a key is. */
  at: ReadonlyMap<ColumnValue, number>;
  /** Keys that stand in several rows, with how often. */
  repeated: ReadonlyMap<ColumnValue, number>;
  sha256: string;
}

/** Checks a table and says what columns it brings. Throws InvalidRequestError. */
export function joinTable(
  rows: readonly JoinRow[],
  { on, labels }: { on: string; labels: readonly string[] },
): JoinTable {
  if (!isTable(rows)) throw badOption("join.rows", shown(rows), "a list of rows, each an object");
  if (rows.length === 0) throw badOption("join.rows", "no rows", "rows of a table");
  const at = new Map<ColumnValue, number>();
  const repeated = new Map<ColumnValue, number>();
  rows.forEach((row, i) => {
    const key = Object.hasOwn(row, on) ? row[on] : undefined;
    if (key === undefined || key === null)
      throw badOption(`join.rows[${i}].${on}`, JSON.stringify(key) ?? "nothing", "the key of every row");
    if (at.has(key)) repeated.set(key, (repeated.get(key) ?? 1) + 1);
    else at.set(key, i);
    for (const [name, value] of Object.entries(row)) checkValue(`join.rows[${i}].${name}`, value);
  });
  const brought = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== on)));
  const { types, nullable, issues } = extraColumns(brought);
  const [issue] = issues;
  if (issue)
    throw badOption(
      issue.field.replace(/^examples(.*)\.extra\./, "join.rows$1."),
      issue.given,
      issue.allowed,
    );
  const names = Object.keys(types);
  const wrong = [...names.filter(isReserved), ...labels.filter((name) => !names.includes(name))];
  if (names.length === 0) throw badOption("join.rows", `no column beside ${on}`, "at least one");
  if (wrong.length > 0)
    throw badOption(
      "join.rows",
      `column ${wrong.join(", ")}`,
      `labels that the table has, and no name that datasets use`,
    );
  const fields = Object.entries(types).map(([name, type]): ColumnField => {
    const label = labels.includes(name);
    return {
      name,
      type: label && type === "int32" ? "float64" : type,
      nullable: nullable.includes(name),
      role: label ? "label" : "extra",
    };
  });
  return {
    fields,
    columns: new Map(
      names.map((name) => [name, rows.map((row) => (Object.hasOwn(row, name) ? (row[name] ?? null) : null))]),
    ),
    at,
    repeated,
    sha256: createHash("sha256").update(JSON.stringify(rows)).digest("hex"),
  };
}

function isTable(given: unknown): boolean {
  return Array.isArray(given) && given.every((row) => typeof row === "object" && row !== null);
}

function checkValue(field: string, value: unknown): void {
  const scalar = value === null || ["string", "number", "boolean"].includes(typeof value);
  if (!scalar) throw badOption(field, typeof value, "a text, a number, true, false or null");
  if (typeof value === "string" && !isWellFormed(value))
    throw badOption(field, "a text with half of a surrogate pair", "well-formed text");
}
