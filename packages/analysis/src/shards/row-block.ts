import type { ColumnField, ColumnValue } from "./column-field.ts";
import { makeNumbers, type RowDtype, type RowNumbers } from "./row-dtype.ts";

/** Some rows in memory, every column of them. */
export interface RowBlock {
  rows: number;
  /** By name; one value a row. */
  columns: ReadonlyMap<string, readonly ColumnValue[]>;
  /** One a layer, ascending: `[rows, hiddenSize]`, as stored. */
  layers: readonly RowNumbers[];
}

/** Bytes of its layers. */
export function blockBytes({ layers }: RowBlock): number {
  return layers.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Rows `from` to `to` − 1: the columns are copied, the layers are views. */
export function sliceBlock(block: RowBlock, from: number, to: number): RowBlock {
  const { columns, layers, rows } = block;
  if (from === 0 && to === rows) return block;
  return {
    rows: to - from,
    columns: new Map([...columns].map(([name, values]) => [name, values.slice(from, to)])),
    layers: layers.map((layer) => {
      const width = layer.length / rows;
      return layer.subarray(from * width, to * width);
    }),
  };
}

/** Cuts rows into runs of one example each. */
export function cutByExample(block: RowBlock): RowBlock[] {
  const names = block.columns.get("example") ?? [];
  const runs: RowBlock[] = [];
  for (let from = 0; from < block.rows;) {
    let to = from;
    while (to < block.rows && names[to] === names[from]) to++;
    runs.push(sliceBlock(block, from, to));
    from = to;
  }
  return runs;
}

/** The rows of several blocks, in order. */
export function joinBlocks(
  blocks: readonly RowBlock[],
  { fields, layers, dtype }: { fields: readonly ColumnField[]; layers: readonly number[]; dtype: RowDtype },
): RowBlock {
  const [only] = blocks;
  if (blocks.length === 1 && only) return only;
  return {
    rows: blocks.reduce((sum, { rows }) => sum + rows, 0),
    columns: new Map(
      fields.map(({ name }) => [name, blocks.flatMap(({ columns }) => columns.get(name) as ColumnValue[])]),
    ),
    layers: layers.map((_, i) =>
      joinNumbers(
        blocks.map(({ layers }) => layers[i] as RowNumbers),
        dtype,
      ),
    ),
  };
}

function joinNumbers(parts: readonly RowNumbers[], dtype: RowDtype): RowNumbers {
  const joined = makeNumbers(
    dtype,
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
