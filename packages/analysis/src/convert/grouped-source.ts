import { DatasetError } from "../dataset/dataset-error.ts";
import { missingColumn, missingLayer } from "../dataset/missing-column.ts";
import type { BlockOptions, RowSource } from "../dataset/row-source.ts";
import { widenNumbers } from "../dataset/widen-numbers.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import { dtypeBytes, makeNumbers, type RowNumbers } from "../shards/row-dtype.ts";

/** Rows of one group: `from` to `to` − 1. */
export interface GroupRange {
  group: number;
  from: number;
  to: number;
}

/** Rows in groups, such as the row groups of a Parquet file, and how a part of one is read. */
export interface GroupedRows extends Pick<RowSource, "layers" | "hiddenSize" | "dtype" | "fields"> {
  /** For messages. */
  path: string;
  /** Rows of each group. */
  groups: readonly number[];
  readColumn(field: ColumnField, range: GroupRange): Promise<ColumnValue[]>;
  /** `[to − from, hiddenSize]`, in memory of its own. */
  readLayer(layer: number, range: GroupRange): Promise<RowNumbers<ArrayBuffer>>;
}

/** What a block holds at most, unless its rows are told. */
const blockBytes = 64 << 20;

/** A row source that reads group by group, and of a large group a part at a time. */
export function groupedSource(grouped: GroupedRows): RowSource {
  const { path, groups, layers, hiddenSize, dtype, fields } = grouped;
  const rows = groups.reduce((sum, size) => sum + size, 0);
  const rowBytes = dtypeBytes(dtype) * hiddenSize;

  const checkLayer = (layer: number): void => {
    if (!layers.includes(layer)) throw missingLayer(path, layer, layers);
  };
  function* ranges(most: number): Generator<GroupRange & { first: number }> {
    let first = 0;
    for (const [group, size] of groups.entries()) {
      for (let from = 0; from < size; from += most) {
        yield { group, from, to: Math.min(size, from + most), first: first + from };
      }
      first += size;
    }
  }
  const most = (options: BlockOptions, bytes: number): number =>
    options.rows ?? Math.max(1, Math.floor(blockBytes / bytes));

  async function* eachLayerBlock(layer: number, options: BlockOptions = {}) {
    checkLayer(layer);
    for (const range of ranges(most(options, rowBytes))) {
      const numbers = await grouped.readLayer(layer, range);
      yield { first: range.first, rows: range.to - range.from, numbers };
    }
  }

  return {
    rows,
    layers,
    hiddenSize,
    dtype,
    fields,
    columns: fields.map(({ name }) => name),
    async column(name) {
      const field = fields.find((candidate) => candidate.name === name);
      if (field === undefined) throw missingColumn(path, name, fields);
      const values: ColumnValue[] = [];
      for (const range of ranges(Infinity)) {
        for (const value of await grouped.readColumn(field, range)) values.push(value);
      }
      return values;
    },
    async layer(layer) {
      const values = new Float32Array(rows * hiddenSize);
      for await (const { first, numbers } of eachLayerBlock(layer)) {
        widenNumbers(numbers, dtype, values, first * hiddenSize);
      }
      return values;
    },
    async layerBits(layer) {
      checkLayer(layer);
      if (dtype === "float32") throw notBits(path);
      const bits = makeNumbers(dtype, rows * hiddenSize) as Uint16Array<ArrayBuffer>;
      for await (const { first, numbers } of eachLayerBlock(layer)) bits.set(numbers, first * hiddenSize);
      return bits;
    },
    layerBlocks: eachLayerBlock,
    async *blocks(options = {}) {
      for (const range of ranges(most(options, rowBytes * Math.max(1, layers.length)))) {
        const columns = new Map<string, ColumnValue[]>();
        for (const field of fields) columns.set(field.name, await grouped.readColumn(field, range));
        const numbers: RowNumbers[] = [];
        for (const layer of layers) numbers.push(await grouped.readLayer(layer, range));
        yield { rows: range.to - range.from, columns, layers: numbers };
      }
    },
  };
}

function notBits(path: string): DatasetError {
  return new DatasetError("not_16_bit", {
    path,
    found: "bits asked for of rows that are float32",
    expected: "rows of bfloat16 or float16",
    advice: "Read the values with layer(L) or layerBlocks(L).",
  });
}
