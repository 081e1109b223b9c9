import { FormatError } from "@residua/lens";
import type { Schema, Table } from "apache-arrow";
import { arrowRows, checkArrowColumns } from "./arrow-table.ts";
import type { SourceRow, SourceTable } from "./source-table.ts";

/** A table that is read a group of rows at a time: row groups of Parquet, batches of Arrow. */
interface GroupedTable {
  /** With the types that the writer meant. */
  readonly schema: Schema;
  readonly groups: readonly { readonly rows: number }[];
  read(group: number, what: { columns: readonly string[] }): Promise<Table>;
}

interface GroupsOptions {
  file: string;
  /** Columns to read; default all. */
  only: ReadonlySet<string> | undefined;
  /** Says what is wrong with the bytes of a file of this kind. */
  refuse: (cause: unknown) => never;
}

/** The rows of all groups, of the columns that are wanted. Throws FormatError. */
export async function readGroups(
  table: GroupedTable,
  { file, only, refuse }: GroupsOptions,
): Promise<SourceTable> {
  const all = table.schema.fields.map(({ name }) => name);
  const wanted = all.filter((name) => only?.has(name) ?? true);
  checkArrowColumns(table.schema, wanted, file);
  // A table without columns has no rows; what is missing is told by name later.
  const columns = wanted.length > 0 ? wanted : all.slice(0, 1);
  const rows: SourceRow[] = [];
  for (const group of table.groups.keys()) {
    const read = await table.read(group, { columns }).catch(refuse);
    try {
      for (const row of arrowRows(read, { file, firstRow: rows.length, only })) rows.push(row);
    } catch (error) {
      if (error instanceof FormatError) throw error;
      refuse(error);
    }
  }
  return { columns: all, rows };
}
