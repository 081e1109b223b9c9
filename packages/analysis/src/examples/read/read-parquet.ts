import { FormatError } from "@residua/lens";
import { openParquet } from "../../files/parquet/parquet-file.ts";
import { arrowRows } from "./arrow-table.ts";
import type { SourceRow, SourceTable } from "./source-table.ts";

/** Parquet in any of its usual compressions, one row group after the other. Throws FormatError. */
export async function readParquet(file: string, only?: ReadonlySet<string>): Promise<SourceTable> {
  const rows: SourceRow[] = [];
  const opened = await openParquet(file).catch((cause: unknown) => notParquet(file, cause));
  const wanted = opened.columns.filter((name) => only?.has(name) ?? true);
  // A table without columns has no rows; what is missing is told by name later.
  const columns = wanted.length > 0 ? wanted : opened.columns.slice(0, 1);
  for (const group of opened.groups.keys()) {
    const table = await opened.read(group, { columns }).catch((cause: unknown) => notParquet(file, cause));
    for (const row of arrowRows(table, { file, firstRow: rows.length }).rows) rows.push(row);
  }
  return { columns: opened.columns, rows };
}

function notParquet(file: string, cause: unknown): never {
  const problem = cause instanceof Error ? cause.message : String(cause);
  throw new FormatError("format_invalid", `${file} is no Parquet file: ${problem}`, { file }, { cause });
}
