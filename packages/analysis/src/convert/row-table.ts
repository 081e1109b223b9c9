import { Schema, Table } from "apache-arrow";
import type { TableFile } from "./table-file.ts";

/** A table without columns, for arrays of which nothing else is known. In groups, so that reads stay small. */
export function rowTable(path: string, rows: number): TableFile {
  const most = 1 << 20;
  const schema = new Schema([]);
  return {
    kind: "columns",
    path,
    schema,
    parts: [],
    groups: Array.from({ length: Math.ceil(rows / most) }, (_, i) => ({
      rows: Math.min(most, rows - i * most),
    })),
    read: () => Promise.resolve(new Table(schema)),
  };
}
