import type { ColumnLayout } from "../shards/shard-batch.ts";
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
