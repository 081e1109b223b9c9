import { InvalidRequestError } from "@residua/lens";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import { dtypeBytes, type RowNumbers } from "../shards/row-dtype.ts";
import type { ColumnLayout } from "../shards/shard-batch.ts";
import { readColumn, readLayerRows } from "../shards/shard-columns.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import { DatasetError } from "./dataset-error.ts";
import type { DatasetManifest } from "./dataset-manifest.ts";
import { eachBatch, type ShardBatch } from "./each-batch.ts";
import { readWholeColumn } from "./read-column.ts";
import { fixedTarget } from "./layer-target.ts";
import { missingColumn, missingLayer } from "./missing-column.ts";
import { readLayer, readLayerBits } from "./read-layer.ts";
import type { BlockOptions, LayerBlock, RowSource } from "./row-source.ts";
import type { ShardFiles } from "./shard-files.ts";

/** What a block holds at most, unless its rows are told. */
const blockBytes = 64 << 20;

/** The rows of a dataset's shards. */
export function shardSource(folder: string, manifest: DatasetManifest, files: ShardFiles): RowSource {
  const { layers, hiddenSize, rows, dtype, columns: fields } = manifest;
  const form = { hiddenSize, dtype };

  const checkLayer = (layer: number): void => {
    if (!layers.includes(layer)) throw missingLayer(folder, layer, layers);
  };

  return {
    rows,
    layers,
    hiddenSize,
    dtype,
    fields,
    columns: fields.map(({ name }) => name),
    async column(name) {
      const field = fields.find((candidate) => candidate.name === name);
      if (field === undefined) throw missingColumn(folder, name, fields);
      return readWholeColumn(files, field);
    },
    async layer(layer) {
      checkLayer(layer);
      const values = allocate(folder, () => new Float32Array(rows * hiddenSize));
      await readLayer(files, layer, form, fixedTarget(values));
      return values;
    },
    async layerBits(layer) {
      checkLayer(layer);
      if (dtype === "float32") throw notBits(folder);
      const values = allocate(folder, () => new Uint16Array(rows * hiddenSize));
      await readLayerBits(files, layer, form, values);
      return values;
    },
    async *layerBlocks(layer, options = {}): AsyncGenerator<LayerBlock> {
      checkLayer(layer);
      const most = blockRows(options, dtypeBytes(dtype) * hiddenSize);
      for await (const batch of eachBatch(files)) {
        const where = batch.columns.get(layerColumn(layer)) as ColumnLayout;
        for (const { from, to } of ranges(batch.rows, most)) {
          const numbers = await batch.read((file) => readLayerRows(file, where, form, { from, to }));
          yield { first: batch.first + from, rows: to - from, numbers };
        }
      }
    },
    async *blocks(options = {}): AsyncGenerator<RowBlock> {
      const most = blockRows(options, dtypeBytes(dtype) * hiddenSize * layers.length);
      for await (const batch of eachBatch(files)) {
        const whole = new Map<string, ColumnValue[]>();
        for (const field of fields) whole.set(field.name, await columnOf(batch, field));
        for (const { from, to } of ranges(batch.rows, most)) {
          const columns = new Map([...whole].map(([name, values]) => [name, values.slice(from, to)]));
          const numbers: RowNumbers[] = [];
          for (const layer of layers) {
            const where = batch.columns.get(layerColumn(layer)) as ColumnLayout;
            numbers.push(await batch.read((file) => readLayerRows(file, where, form, { from, to })));
          }
          yield { rows: to - from, columns, layers: numbers };
        }
      }
    },
  };
}

export function columnOf(batch: ShardBatch, field: ColumnField): Promise<ColumnValue[]> {
  return batch.read((file) => readColumn(file, field, batch.columns.get(field.name) as ColumnLayout));
}

export function blockRows({ rows }: BlockOptions, rowBytes: number): number {
  if (rows === undefined) return Math.max(1, Math.floor(blockBytes / rowBytes));
  if (Number.isInteger(rows) && rows >= 1) return rows;
  const issue = { field: "rows", given: String(rows), allowed: "an integer from 1" };
  throw new InvalidRequestError([issue], "options");
}

export function* ranges(rows: number, most: number): Generator<{ from: number; to: number }> {
  for (let from = 0; from < rows; from += most) yield { from, to: Math.min(rows, from + most) };
}

export function notBits(folder: string): DatasetError {
  return new DatasetError("not_16_bit", {
    path: folder,
    found: "bits asked for of rows that are float32",
    expected: "a dataset of bfloat16 or float16",
    advice: "Read the values with layer(L) or layerBlocks(L).",
  });
}

export function allocate<T>(folder: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new DatasetError("layer_too_large", {
      path: folder,
      found: `one layer does not fit into memory (${(error as Error).message})`,
      expected: "room for rows × hidden size numbers",
      advice: "Read it in blocks with layerBlocks(L), or use a machine with more memory.",
      cause: error,
    });
  }
}
