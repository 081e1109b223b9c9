import { join } from "node:path";
import type { ShardLayout } from "../shards/shard-layout.ts";
import { shardColumns, type DatasetManifest } from "./dataset-manifest.ts";
import { checkShardPlace, openShard, type OpenShard } from "./dataset-shard.ts";

/** The shards of a dataset in order. Where the columns of a shard lie is read once and kept, as long as its file stays the same. */
export interface ShardFiles {
  readonly count: number;
  /** Index of the first row of a shard in the dataset. */
  firstRow(index: number): number;
  rowsOf(index: number): number;
  /** Opens a shard and checks that it is the one that belongs there. Throws DatasetError. */
  open(index: number): Promise<OpenShard>;
}

export function shardFiles(folder: string, manifest: DatasetManifest): ShardFiles {
  const columns = shardColumns(manifest);
  const known = new Map<number, { version: string; layout: ShardLayout }>();
  const first: number[] = [];
  let rows = 0;
  for (const shard of manifest.shards) {
    first.push(rows);
    rows += shard.rows;
  }
  return {
    count: manifest.shards.length,
    firstRow: (index) => first[index] as number,
    rowsOf: (index) => manifest.shards[index]?.rows as number,
    async open(index) {
      const path = join(folder, manifest.shards[index]?.file as string);
      const before = known.get(index);
      const shard = await openShard(path, columns, before);
      if (shard.layout === before?.layout) return shard;
      try {
        checkShardPlace(path, shard.layout, manifest, index);
      } catch (error) {
        await shard.close();
        throw error;
      }
      known.set(index, { version: shard.version, layout: shard.layout });
      return shard;
    },
  };
}
