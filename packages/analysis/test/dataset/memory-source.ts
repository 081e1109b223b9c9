import type { RowSource } from "../../src/dataset/row-source.ts";
import { widenNumbers } from "../../src/dataset/widen-numbers.ts";
import { datasetFields, type ColumnValue } from "../../src/shards/column-field.ts";
import { makeNumbers, type RowDtype } from "../../src/shards/row-dtype.ts";
import { sliceBlock, type RowBlock } from "../../src/shards/row-block.ts";

const hiddenSize = 4;
const layers = [-1, 2];
const fields = datasetFields([
  { name: "truth", type: "bool", nullable: true, role: "label" },
  { name: "score", type: "float64", nullable: false, role: "extra" },
]);

/** Rows of examples of one to three rows, of every kind of column; every 16-bit pattern may occur. */
export function memorySource({ rows, dtype }: { rows: number; dtype: RowDtype }): RowSource {
  const example = Array.from({ length: rows }, (_, i) => Math.floor((i * 5) / 9));
  const first = example.map((id, i) => i === 0 || id !== example[i - 1]);
  const cell = (name: string, i: number): ColumnValue => {
    const id = example[i] as number;
    const once = (value: ColumnValue): ColumnValue => (first[i] ? value : null);
    const values: Record<string, ColumnValue> = {
      example: `e${id}`,
      group: `g${id % 3}`,
      split: id % 2 ? "train" : null,
      truth: id % 4 === 0 ? null : id % 2 === 0,
      score: i / 7,
      position: i,
      token_id: i % 3 ? i : null,
      token: i % 3 ? ` t${i}é` : null,
      role: "prompt",
      text: once(`text ${id}`),
      token_ids: once(Array.from({ length: id % 4 }, (_, k) => id + k)),
      prompt_length: once(id % 4),
    };
    return values[name] as ColumnValue;
  };
  const numbers = layers.map((layer) => {
    const made = makeNumbers(dtype, rows * hiddenSize);
    return made.map((_, i) =>
      dtype === "float32" ? Math.sin(i + layer) : (i * 2_749 + layer * 31) % 31_000,
    );
  });
  const column = (name: string): Promise<ColumnValue[]> =>
    Promise.resolve(Array.from({ length: rows }, (_, i) => cell(name, i)));
  const whole = async (): Promise<RowBlock> => {
    const columns = new Map<string, ColumnValue[]>();
    for (const { name } of fields) columns.set(name, await column(name));
    return { rows, columns, layers: numbers };
  };
  const of = (layer: number) => numbers[layers.indexOf(layer)] as (typeof numbers)[number];
  return {
    rows,
    layers,
    hiddenSize,
    dtype,
    fields,
    columns: fields.map(({ name }) => name),
    column,
    layer(layer) {
      const values = new Float32Array(rows * hiddenSize);
      widenNumbers(of(layer), dtype, values);
      return Promise.resolve(values);
    },
    layerBits: (layer) => Promise.resolve(Uint16Array.from(of(layer))),
    async *layerBlocks(layer, options) {
      let at = 0;
      for await (const block of this.blocks(options)) {
        const part = block.layers[layers.indexOf(layer)] as ReturnType<typeof of>;
        yield { first: at, rows: block.rows, numbers: part.slice() };
        at += block.rows;
      }
    },
    async *blocks({ rows: most = 10 } = {}) {
      const all = await whole();
      for (let from = 0; from < rows; from += most) yield sliceBlock(all, from, Math.min(rows, from + most));
    },
  };
}
