import type { FileHandle } from "node:fs/promises";
import { join, resolve } from "node:path";
import { widenBf16 } from "../shards/bf16.ts";
import { DatasetError } from "./dataset-error.ts";
import { readManifest, type DatasetManifest } from "./dataset-manifest.ts";
import { checkShardFile, checkShardPlace, checkShardSum, withShard } from "./dataset-shard.ts";
import { readColumn, readLayerBlocks, scalarSpecs, type ColumnValue } from "../shards/shard-columns.ts";
import type { ShardLayout } from "../shards/shard-layout.ts";
import { layerColumn } from "../shards/shard-schema.ts";

/** What is known of one row beside its activations. */
export interface DatasetRow {
  /** Index of the row. */
  row: number;
  example: string;
  group: string;
  split: string | null;
  /** Token position in the capture, 0-based, BOS included. */
  position: number;
  tokenId: number | null;
  token: string | null;
  labels: Readonly<Record<string, boolean | number | string>>;
}

/** Labelled rows of activations on disk. Nothing is kept in memory: each call reads what it returns, and only that. */
export interface ActivationDataset {
  readonly folder: string;
  readonly manifest: DatasetManifest;
  /** Number of rows: one a selected token. */
  readonly rows: number;
  /** Ascending. */
  readonly layers: readonly number[];
  readonly hiddenSize: number;
  /** Names of the columns that are not layers. */
  readonly columns: readonly string[];
  /** Values of one column, by row: `example`, `group`, `split`, a label, `position`, `token_id` or `token`. */
  column(name: string): Promise<ColumnValue[]>;
  /** All columns that are not layers, by row. */
  readRows(): Promise<DatasetRow[]>;
  /** `[rows, hiddenSize]`, widened exactly from bfloat16; a buffer of its own, fit for `tf.tensor2d`. */
  layer(layer: number): Promise<Float32Array<ArrayBuffer>>;
  /** The same as bfloat16 bits. */
  layerBits(layer: number): Promise<Uint16Array<ArrayBuffer>>;
  /** Reads every byte: checksums, the place of each shard, row counts. Throws DatasetError at the first fault. */
  validate(): Promise<void>;
}

/** Below this, opening a dataset checks every checksum. */
const smallDataset = 64 << 20;

/** Opens the dataset in a folder. Checks the manifest and the shards' sizes, of small ones every byte. Throws DatasetError. */
export async function openDataset(folder: string): Promise<ActivationDataset> {
  const manifest = await readManifest(folder);
  const dataset = datasetOf(resolve(folder), manifest);
  const bytes = manifest.shards.reduce((sum, shard) => sum + shard.bytes, 0);
  if (bytes <= smallDataset) await dataset.validate();
  else await Promise.all(manifest.shards.map((shard) => checkShardFile(folder, shard)));
  return dataset;
}

function datasetOf(folder: string, manifest: DatasetManifest): ActivationDataset {
  const { layers, hiddenSize, rows, shards } = manifest;
  const specs = scalarSpecs(manifest);

  async function eachShard(use: (file: FileHandle, layout: ShardLayout, firstRow: number) => Promise<void>) {
    let firstRow = 0;
    for (const [index, shard] of shards.entries()) {
      await withShard(join(folder, shard.file), manifest, async (file, layout) => {
        checkShardPlace(join(folder, shard.file), layout, manifest, index);
        await use(file, layout, firstRow);
      });
      firstRow += shard.rows;
    }
  }

  async function column(name: string): Promise<ColumnValue[]> {
    const spec = specs.find((candidate) => candidate.name === name);
    if (spec === undefined)
      throw noSuchColumn(
        folder,
        name,
        specs.map((s) => s.name),
      );
    const values: ColumnValue[] = [];
    await eachShard(async (file, layout) => {
      for (const batch of layout.batches) {
        for (const value of await readColumn(file, spec, batch.get(name)!)) values.push(value);
      }
    });
    return values;
  }

  async function readLayer(layer: number, take: (bits: Uint16Array, at: number) => void): Promise<void> {
    await eachShard(async (file, layout, firstRow) => {
      let at = firstRow * hiddenSize;
      for (const batch of layout.batches) {
        const where = batch.get(layerColumn(layer))!;
        await readLayerBlocks(file, where, hiddenSize, (bits, offset) => take(bits, at + offset));
        at += where.rows * hiddenSize;
      }
    });
  }

  function checkLayer(layer: number): void {
    if (layers.includes(layer)) return;
    throw new DatasetError("no_such_layer", {
      path: folder,
      found: `layer ${layer} asked for`,
      expected: `one of the layers collected: ${layers.join(", ")}`,
      advice: "Choose one of them, or collect again with more layers into another folder.",
    });
  }

  return {
    folder,
    manifest,
    rows,
    layers,
    hiddenSize,
    columns: specs.map(({ name }) => name),
    column,
    readRows: () => readRows(column, Object.keys(manifest.labels), rows),
    async layer(layer) {
      checkLayer(layer);
      const values = allocate(folder, () => new Float32Array(rows * hiddenSize));
      await readLayer(layer, (bits, at) => widenBf16(bits, values, at));
      return values;
    },
    async layerBits(layer) {
      checkLayer(layer);
      const values = allocate(folder, () => new Uint16Array(rows * hiddenSize));
      await readLayer(layer, (bits, at) => values.set(bits, at));
      return values;
    },
    async validate() {
      for (const shard of shards) await checkShardSum(await checkShardFile(folder, shard), shard.sha256);
      await eachShard(() => Promise.resolve());
    },
  };
}

async function readRows(
  column: ActivationDataset["column"],
  labels: readonly string[],
  rows: number,
): Promise<DatasetRow[]> {
  const fixed = ["example", "group", "split", "position", "token_id", "token"] as const;
  const read = new Map<string, ColumnValue[]>();
  for (const name of [...fixed, ...labels]) read.set(name, await column(name));
  const at = <T>(name: string, row: number): T => read.get(name)?.[row] as T;
  return Array.from({ length: rows }, (_, row) => ({
    row,
    example: at<string>("example", row),
    group: at<string>("group", row),
    split: at<string | null>("split", row),
    position: at<number>("position", row),
    tokenId: at<number | null>("token_id", row),
    token: at<string | null>("token", row),
    labels: Object.fromEntries(labels.map((label) => [label, at<boolean | number | string>(label, row)])),
  }));
}

function allocate<T>(folder: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new DatasetError("layer_too_large", {
      path: folder,
      found: `one layer does not fit into memory (${(error as Error).message})`,
      expected: "room for rows × hidden size numbers",
      advice: "Use a machine with more memory, or collect fewer rows.",
      cause: error,
    });
  }
}

function noSuchColumn(folder: string, name: string, names: readonly string[]): DatasetError {
  return new DatasetError("no_such_column", {
    path: folder,
    found: `column ${JSON.stringify(name)} asked for`,
    expected: `one of ${names.join(", ")}`,
    advice: "Choose one of them; layers are read with layer(L).",
  });
}
