import type { ColumnValue } from "../../shards/column-field.ts";
import type { RowBlock } from "../../shards/row-block.ts";
import type { RowNumbers } from "../../shards/row-dtype.ts";

/** Blocks of columns alone have this many rows at most, unless it is told. */
export const columnBlockRows = 65_536;

/** Numbers of `rows` that lie in `first` … `first + count − 1`, counted from `first`; `from` is where to begin to look. */
export function rowsWithin(
  rows: Uint32Array,
  { from, first, count }: { from: number; first: number; count: number },
): Uint32Array {
  let to = from;
  while (to < rows.length && (rows[to] as number) < first + count) to++;
  return rows.subarray(from, to).map((row) => row - first);
}

export function pickValues(values: readonly ColumnValue[], rows: Uint32Array | undefined): ColumnValue[] {
  return rows ? Array.from(rows, (row) => values[row] as ColumnValue) : [...values];
}

/** Copies rows out of `[any, width]`. */
export function pickNumbers<N extends RowNumbers>(numbers: N, rows: Uint32Array, into: N, width: number): N {
  rows.forEach((row, i) => into.set(numbers.subarray(row * width, (row + 1) * width), i * width));
  return into;
}

/** Blocks that have rows and nothing else. */
export function* bareBlocks(rows: number, most = columnBlockRows): Generator<RowBlock> {
  for (let from = 0; from < rows; from += most) {
    yield { rows: Math.min(most, rows - from), columns: new Map(), layers: [] };
  }
}

/** The values at these places, in their order. */
export function gather(values: Uint32Array, places: Uint32Array | undefined): Uint32Array {
  return places ? places.map((place) => values[place] as number) : values;
}
