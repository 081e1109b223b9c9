import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { RowNumbers } from "../shards/row-dtype.ts";
import type { ColumnLayout, RowForm } from "../shards/shard-batch.ts";
import { readColumn, readLayerRows } from "../shards/shard-columns.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import type { OpenShard } from "./dataset-shard.ts";
import type { ShardFiles } from "./shard-files.ts";

/** One batch of an open shard. */
export interface ShardBatch {
  /** Which shard it is of. */
  shard: number;
  /** Index of its first row in the dataset. */
  first: number;
  rows: number;
  columns: ReadonlyMap<string, ColumnLayout>;
  read: OpenShard["read"];
}

/**
 * The batches of a dataset in order; each shard is open while its batches are read, and one without wanted rows is not opened.
 * Throws DatasetError.
 */
export async function* eachBatch(
  files: ShardFiles,
  isWanted: (first: number, rows: number) => boolean = () => true,
): AsyncGenerator<ShardBatch> {
  for (let index = 0; index < files.count; index++) {
    if (!isWanted(files.firstRow(index), files.rowsOf(index))) continue;
    const shard = await files.open(index);
    try {
      let first = files.firstRow(index);
      for (const columns of shard.layout.batches) {
        const rows = columns.get("example")?.rows ?? 0;
        yield { shard: index, first, rows, columns, read: shard.read };
        first += rows;
      }
    } finally {
      await shard.close();
    }
  }
}

/** Values of a column of one batch. */
export function batchColumn(
  { columns, read }: Pick<ShardBatch, "columns" | "read">,
  field: ColumnField,
): Promise<ColumnValue[]> {
  return read((file) => readColumn(file, field, columns.get(field.name) as ColumnLayout));
}

/** Rows `from` to `to` − 1 of a layer of one batch, `[to − from, hiddenSize]`. */
export function batchLayer(
  { columns, read }: Pick<ShardBatch, "columns" | "read">,
  layer: number,
  form: RowForm,
  range: { from: number; to: number },
): Promise<RowNumbers<ArrayBuffer>> {
  const where = columns.get(layerColumn(layer)) as ColumnLayout;
  return read((file) => readLayerRows(file, where, form, range));
}
