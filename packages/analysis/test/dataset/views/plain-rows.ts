import { expect } from "vitest";
import type { RowSource } from "../../../src/dataset/row-source.ts";
import { pickRows } from "../../../src/dataset/views/pick-rows.ts";
import type { ColumnField, ColumnValue } from "../../../src/shards/column-field.ts";
import { exampleColumns } from "../../../src/shards/column-field.ts";

/** Rows as plain arrays, the simplest thing that a view can be compared with. */
export interface PlainRows {
  fields: ColumnField[];
  layers: number[];
  rows: PlainRow[];
}

interface PlainRow {
  /** Tells the runs of rows of one example apart. */
  run: string;
  /** What stands in an example's first row is here in all its rows. */
  values: Record<string, ColumnValue>;
  /** By layer, as float32. */
  numbers: Record<number, number[]>;
}

export async function plainRows(source: RowSource, origin: string): Promise<PlainRows> {
  const columns = await Promise.all(source.columns.map((name) => source.column(name)));
  const layers = await Promise.all(source.layers.map((layer) => source.layer(layer)));
  const rows: PlainRow[] = [];
  for (let i = 0; i < source.rows; i++) {
    const values = Object.fromEntries(source.columns.map((name, c) => [name, columns[c]![i]!]));
    const before = rows.at(-1);
    const run = `${origin} ${String(values["example"])}`;
    if (before?.run === run) for (const name of exampleColumns) values[name] = before.values[name]!;
    const numbers = Object.fromEntries(
      source.layers.map((layer, l) => [
        layer,
        Array.from(layers[l]!.subarray(i * source.hiddenSize, (i + 1) * source.hiddenSize)),
      ]),
    );
    rows.push({ run, values, numbers });
  }
  return { fields: [...source.fields], layers: [...source.layers], rows };
}

/** A column as a source gives it: values of an example in its first row only. */
function columnOf({ rows }: PlainRows, name: string): ColumnValue[] {
  return rows.map(({ run, values }, i) =>
    exampleColumns.includes(name) && rows[i - 1]?.run === run ? null : values[name]!,
  );
}

/** Compares every way of reading a source with plain rows. `some` are row numbers to pick, ascending. */
export async function expectRows(source: RowSource, plain: PlainRows, some: Uint32Array): Promise<void> {
  const { rows, layers } = plain;
  const names = plain.fields.map(({ name }) => name);
  expect(source.rows).toBe(rows.length);
  expect(source.columns).toEqual(names);
  expect(source.fields.map(({ type, role }) => [type, role])).toEqual(
    plain.fields.map(({ type, role }) => [type, role]),
  );
  expect(source.layers).toEqual(layers);
  for (const name of names) expect(await source.column(name), name).toEqual(columnOf(plain, name));
  for (const layer of layers) {
    const flat = rows.flatMap(({ numbers }) => numbers[layer]!);
    expect(Array.from(await source.layer(layer))).toEqual(flat);
    const blocks: number[] = [];
    for await (const { first, rows: count, numbers } of source.layerBlocks(layer, { rows: 3 })) {
      expect([first, numbers.length]).toEqual([blocks.length / source.hiddenSize, count * source.hiddenSize]);
      expect(count).toBeLessThanOrEqual(3);
      blocks.push(...numbers);
    }
    if (source.dtype === "float32") expect(blocks).toEqual(flat);
    else expect(blocks).toEqual(Array.from(await source.layerBits(layer)));
  }
  const read = new Map<string, ColumnValue[]>(names.map((name) => [name, []]));
  for await (const block of source.blocks({ rows: 4 })) {
    expect(block.layers.map(({ length }) => length)).toEqual(
      layers.map(() => block.rows * source.hiddenSize),
    );
    for (const [name, values] of block.columns) read.get(name)!.push(...values);
  }
  for (const name of names) expect(read.get(name), name).toEqual(columnOf(plain, name));
  const picked: ColumnValue[] = [];
  for await (const block of pickRows(source, {
    rows: some,
    columns: ["text", "example"].filter((n) => names.includes(n)),
    layers: [],
  }))
    picked.push(...block.columns.get("example")!);
  expect(picked).toEqual(Array.from(some, (row) => rows[row]!.values["example"]));
}
