import { DatasetError } from "../dataset/dataset-error.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import { cellSum, layerSum, type ColumnSum, type RowSums } from "./column-sums.ts";
import { InexactNumber } from "./narrow-numbers.ts";
import { sumsKey, type KnownRows, type RowsHeader } from "./rows-header.ts";

/** Rows of one file, and what its header says of them. */
export interface CheckedRows {
  path: string;
  rows: number;
  known: KnownRows | undefined;
}

/** One reading of all rows, in order: what is read is hashed, and compared where a file of them ends. Throws DatasetError `file_checksum`. */
export interface CheckedReading {
  /** Some cells of a column of the file, by its name there; `read` gives them as the field that was written. */
  cells: (column: string, place: RowPlace, read: (field: ColumnField) => readonly ColumnValue[]) => void;
  /** Some rows of a layer, by the name of its column; `read` gives them in the type that was written. */
  numbers: (column: string, place: RowPlace, read: (dtype: RowDtype) => RowNumbers) => void;
}

export interface RowPlace {
  /** Index of the first row. */
  first: number;
  rows: number;
}

/** Begins to check the rows of these files. A file without hashes, such as another tool's, is passed over. */
export function checkReading(files: readonly CheckedRows[]): CheckedReading {
  const ends: number[] = [];
  for (const { rows } of files) ends.push((ends.at(-1) ?? 0) + rows);
  /** By column: the next row, and the sum of those of its file. */
  const states = new Map<string, { next: number; sum?: ColumnSum<unknown> | undefined }>();

  function take(
    column: string,
    { first, rows }: RowPlace,
    open: (known: {
      header: RowsHeader;
      sums: RowSums;
    }) => { expected: string; sum: ColumnSum<unknown>; read: () => unknown } | undefined,
  ): void {
    const state = states.get(column) ?? { next: 0 };
    // One column may stand for two of the dataset, and is then read twice.
    if (rows === 0 || first !== state.next) return;
    states.set(column, state);
    state.next += rows;
    const at = ends.findIndex((end) => first < end);
    const file = files[at];
    const { header, sums } = file?.known ?? {};
    const opened = header && sums && open({ header, sums });
    if (file === undefined || opened === undefined) return;
    state.sum ??= opened.sum;
    try {
      state.sum.add(opened.read());
    } catch (error) {
      throw error instanceof InexactNumber ? differs(file.path, column, error.message) : error;
    }
    if (state.next < (ends[at] as number)) return;
    const found = state.sum.digest();
    state.sum = undefined;
    if (found !== opened.expected)
      throw differs(file.path, column, `SHA-256 ${found}, not ${opened.expected}`);
  }

  return {
    cells(column, place, read) {
      take(column, place, ({ header: { columns }, sums: { columnHashes } }) => {
        const at = columns.findIndex(({ name }) => name === column);
        const field = columns[at];
        if (field === undefined) return undefined;
        const sum = cellSum(field.type) as ColumnSum<unknown>;
        return { expected: columnHashes[at] as string, sum, read: () => read(field) };
      });
    },
    numbers(column, place, read) {
      take(column, place, ({ header: { layers, dtype }, sums: { layerHashes } }) => {
        const at = layers.findIndex((layer) => layerColumn(layer) === column);
        if (at < 0) return undefined;
        const sum = layerSum() as ColumnSum<unknown>;
        return { expected: layerHashes[at] as string, sum, read: () => read(dtype) };
      });
    },
  };
}

/**
 * Checks that the rows and columns that a header speaks of are there, by their names. Throws DatasetError `file_checksum`.
 */
export function checkForm(
  { path, rows, known }: CheckedRows,
  names: Iterable<string>,
  want: readonly string[],
): void {
  if (known?.sums === undefined) return;
  if (known.sums.rows !== rows) {
    throw changed(path, `${rows} rows`, `${known.sums.rows} rows, as were written`);
  }
  const there = new Set(names);
  const missing = want.find((name) => !there.has(name));
  if (missing !== undefined) {
    throw changed(path, `no column ${JSON.stringify(missing)}`, "every column that was written");
  }
}

function differs(path: string, column: string, how: string): DatasetError {
  return changed(
    path,
    `column ${JSON.stringify(column)} has other values than were written (${how})`,
    `the values whose hashes stand in its metadata (${sumsKey})`,
  );
}

function changed(path: string, found: string, expected: string): DatasetError {
  return new DatasetError("file_checksum", {
    path,
    found,
    expected,
    advice:
      "The file is damaged: restore it from a copy, or export it again. If another program changed it on purpose and kept its metadata, say unchecked: true (--unchecked).",
  });
}
