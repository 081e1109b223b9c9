import { inFlight } from "../files/in-flight.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { ColumnLayout } from "../shards/shard-batch.ts";
import { readColumn } from "../shards/shard-columns.ts";
import type { ShardFiles } from "./shard-files.ts";

/** Shards that are read at a time: what takes long of a small one is waiting for the file system. */
const shardsAtOnce = 4;

/** Values of one column (not a layer) of all shards, by row. Throws DatasetError. */
export async function readWholeColumn(files: ShardFiles, field: ColumnField): Promise<ColumnValue[]> {
  const parts: ColumnValue[][][] = Array.from({ length: files.count }, () => []);
  await inFlight(parts.entries(), shardsAtOnce, async ([index, part]) => {
    const shard = await files.open(index);
    try {
      for (const batch of shard.layout.batches) {
        const layout = batch.get(field.name) as ColumnLayout;
        part.push(await shard.read((file) => readColumn(file, field, layout)));
      }
    } finally {
      await shard.close();
    }
  });
  return parts.flatMap((batches) => batches.flatMap((values) => values));
}
