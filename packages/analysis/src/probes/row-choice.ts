import { InvalidRequestError } from "@residua/lens";
import { z } from "zod";
import type { ColumnConditions } from "../dataset/views/row-condition.ts";
import { shown } from "../options/shown.ts";
import { columnOf } from "./checked-reads.ts";
import { ProbeError } from "./probe-error.ts";

/** Rows to use: a test of row numbers, or for each column the value, or the values, that a row may have there. */
export type RowChoice = ((row: number) => boolean) | ColumnConditions;

const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** `where`, in options. */
export const rowChoiceSchema = z.union([
  z.custom<(row: number) => boolean>((value) => typeof value === "function", "a function of a row's number"),
  z
    .record(z.string(), z.union([scalarSchema, z.array(scalarSchema).min(1)]), {
      error: "columns with the value, or the values, that a row may have there",
    })
    .refine((conditions) => Object.keys(conditions).length > 0, "at least one column"),
]);

/** The dataset's row numbers that `where` keeps, ascending. Throws ProbeError `bad_column`, and `no_rows` where it keeps none. */
export async function chosenRows(
  dataset: {
    readonly rows: number;
    column(name: string): Promise<ArrayLike<unknown>>;
    columns?: readonly string[];
  },
  where: RowChoice | undefined,
): Promise<number[]> {
  const rows = Array.from({ length: dataset.rows }, (_, row) => row);
  if (where === undefined) return rows;
  const kept =
    typeof where === "function"
      ? rows.filter((row) => booleanAnswer(where, row, "where"))
      : await matching(dataset, where, rows);
  if (kept.length > 0) return kept;
  const what =
    typeof where === "function" ? "where returned false for each" : `where asks for ${shown(where)}`;
  throw new ProbeError("no_rows", `Of ${dataset.rows} rows none is left: ${what}.`, { rows: dataset.rows });
}

/** What a test says of a row or position; a promise would count as true for every one. Throws InvalidRequestError that names the option `field`. */
export function booleanAnswer(test: (row: number) => boolean, row: number, field: string): boolean {
  const given: unknown = test(row);
  if (typeof given === "boolean") return given;
  throw new InvalidRequestError(
    [
      {
        field,
        given: `a function that returned ${typeof given}`,
        allowed: "one that returns true or false",
      },
    ],
    field,
  );
}

async function matching(
  dataset: Parameters<typeof chosenRows>[0],
  conditions: ColumnConditions,
  rows: readonly number[],
): Promise<number[]> {
  let kept = [...rows];
  for (const [name, allowed] of Object.entries(conditions)) {
    if (dataset.columns && !dataset.columns.includes(name))
      throw new ProbeError(
        "bad_column",
        `where names the column ${name}, and the dataset has ${dataset.columns.join(", ")}.`,
        {
          column: name,
        },
      );
    const values = await columnOf(dataset, name);
    const any = new Set<unknown>(Array.isArray(allowed) ? allowed : [allowed]);
    kept = kept.filter((row) => any.has(values[row] ?? null));
  }
  return kept;
}
