import type { RowSource } from "./row-source.ts";
import type { ColumnValue } from "../shards/column-field.ts";

/** What is known of one row beside its activations. */
export interface DatasetRow {
  /** Index of the row. */
  row: number;
  example: string;
  group: string;
  split: string | null;
  /** Token position in the capture, 0-based, BOS included. Null of pooled rows. */
  position: number | null;
  tokenId: number | null;
  token: string | null;
  /** `prompt`, `generated`, or the role of a chat message. */
  role: string | null;
  labels: Readonly<Record<string, ColumnValue>>;
  extra: Readonly<Record<string, ColumnValue>>;
}

/** The columns that are not layers, by row; a standard column that is not there is null. */
export async function readRows(source: Pick<RowSource, "rows" | "fields" | "column">): Promise<DatasetRow[]> {
  const read = new Map<string, ColumnValue[]>();
  const named = ["example", "group", "split", "position", "token_id", "token", "role"];
  for (const { name, role } of source.fields) {
    if (role !== "standard" || named.includes(name)) read.set(name, await source.column(name));
  }
  const at = <T>(name: string, row: number): T => (read.get(name)?.[row] ?? null) as T;
  const valuesOf = (role: "label" | "extra", row: number): Record<string, ColumnValue> =>
    Object.fromEntries(
      source.fields
        .filter((field) => field.role === role)
        .map(({ name }) => [name, at<ColumnValue>(name, row)]),
    );
  return Array.from({ length: source.rows }, (_, row) => ({
    row,
    example: at<string>("example", row),
    group: at<string>("group", row),
    split: at<string | null>("split", row),
    position: at<number | null>("position", row),
    tokenId: at<number | null>("token_id", row),
    token: at<string | null>("token", row),
    role: at<string | null>("role", row),
    labels: valuesOf("label", row),
    extra: valuesOf("extra", row),
  }));
}
