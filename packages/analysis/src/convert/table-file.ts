import type { Schema, Table } from "apache-arrow";

/** One file of a table. */
export interface TablePart {
  readonly path: string;
  readonly rows: number;
  readonly metadata: ReadonlyMap<string, string>;
  /** Whether this text is anywhere in the bytes of its metadata. */
  readonly mentions: (text: string) => boolean;
  /**
   * Whether the program that wrote the file wrote hashes of its rows: `no` where another one did, which may have changed rows and
   * copied the hashes.
   */
  readonly hashed: "yes" | "maybe" | "no";
}

/** A table in a file or several, in groups of rows, of which columns and rows are read alone. */
export interface TableFile {
  /** The kind of file, for messages. */
  readonly kind: string;
  readonly path: string;
  readonly schema: Schema;
  /** The files, in order; none where the rows are of no table. */
  readonly parts: readonly TablePart[];
  readonly groups: readonly { readonly rows: number }[];
  /** Rows `from` to `to` − 1 of some columns of one group. */
  read(group: number, what: { columns: readonly string[]; from: number; to: number }): Promise<Table>;
}
