import type { ColumnField, ColumnValue } from "../../shards/column-field.ts";
import type { RowBlock } from "../../shards/row-block.ts";
import { dtypeBytes, makeNumbers, type RowNumbers } from "../../shards/row-dtype.ts";
import type { DatasetManifest } from "../dataset-manifest.ts";
import type { RowRequest } from "../row-source.ts";
import { ranges } from "../block-rows.ts";
import { batchColumn, batchLayer, eachBatch, type ShardBatch } from "../each-batch.ts";
import type { ShardFiles } from "../shard-files.ts";
import { mostRows } from "./pick-rows.ts";
import { pickNumbers, pickValues, rowsWithin } from "./pick-block.ts";

/** Rows this near to each other, in bytes, are read in one piece with what lies between them. */
const smallGap = 64 << 10;
/** A piece that is read at once, in bytes. */
const largestPiece = 64 << 20;

/** Rows of a dataset's shards: opens the shards that hold some, reads the batches that do, and of them the columns asked for. */
export async function* pickShardRows(
  files: ShardFiles,
  manifest: DatasetManifest,
  request: RowRequest,
): AsyncGenerator<RowBlock> {
  const { rows, columns, layers } = request;
  const most = mostRows(manifest, request);
  const fields = columns.map((name) => manifest.columns.find((field) => field.name === name) as ColumnField);
  let at = 0;
  const within = (first: number, count: number): Uint32Array | undefined =>
    rows && rowsWithin(rows, { from: at, first, count });
  const isWanted = (first: number, count: number): boolean => within(first, count)?.length !== 0;
  for await (const batch of eachBatch(files, isWanted)) {
    const wanted = within(batch.first, batch.rows);
    if (wanted?.length === 0) continue;
    at += wanted?.length ?? 0;
    const values: ColumnValue[][] = [];
    for (const field of fields) values.push(pickValues(await batchColumn(batch, field), wanted));
    for (const { from, to } of ranges(wanted?.length ?? batch.rows, most)) {
      const part = wanted?.subarray(from, to) ?? Uint32Array.from({ length: to - from }, (_, i) => from + i);
      const numbers: RowNumbers[] = [];
      for (const layer of layers) numbers.push(await pickLayerRows(batch, layer, manifest, part));
      const cut = columns.map((name, i) => [name, (values[i] as ColumnValue[]).slice(from, to)] as const);
      yield { rows: part.length, columns: new Map(cut), layers: numbers };
    }
  }
}

async function pickLayerRows(
  batch: ShardBatch,
  layer: number,
  form: DatasetManifest,
  rows: Uint32Array,
): Promise<RowNumbers<ArrayBuffer>> {
  const { hiddenSize, dtype } = form;
  const readPiece = (from: number, to: number): Promise<RowNumbers<ArrayBuffer>> =>
    batchLayer(batch, layer, form, { from, to });
  const row = (i: number): number => rows[i] as number;
  const [first, last] = [row(0), row(rows.length - 1)];
  if (last - first + 1 === rows.length) return readPiece(first, last + 1);
  const picked = makeNumbers(dtype, rows.length * hiddenSize);
  const rowBytes = dtypeBytes(dtype) * hiddenSize;
  for (let i = 0, end = 0; i < rows.length; i = end) {
    for (end = i + 1; end < rows.length; end++) {
      const far = (row(end) - row(end - 1) - 1) * rowBytes > smallGap;
      if (far || (row(end) - row(i) + 1) * rowBytes > largestPiece) break;
    }
    const numbers = await readPiece(row(i), row(end - 1) + 1);
    const local = rows.subarray(i, end).map((number) => number - row(i));
    pickNumbers(numbers, local, picked.subarray(i * hiddenSize, end * hiddenSize), hiddenSize);
  }
  return picked;
}
