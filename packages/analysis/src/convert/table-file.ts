import type { Schema, Table } from "apache-arrow";

/** A table in a file, in groups of rows, of which columns and rows are read alone. */
export interface TableFile {
  /** The kind of file, for messages. */
  readonly kind: string;
  readonly path: string;
  readonly schema: Schema;
  readonly metadata: ReadonlyMap<string, string>;
  readonly groups: readonly { readonly rows: number }[];
  /** Rows `from` to `to` − 1 of some columns of one group. */
  read(group: number, what: { columns: readonly string[]; from: number; to: number }): Promise<Table>;
}
