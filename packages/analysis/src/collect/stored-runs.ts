import { join } from "node:path";
import { checkShardFile, checkShardSum, openShard, type OpenShard } from "../dataset/dataset-shard.ts";
import type { ShardEntry } from "../dataset/dataset-manifest.ts";
import { batchColumn } from "../dataset/each-batch.ts";
import { standardColumns } from "../shards/column-field.ts";
import type { ShardColumns } from "../shards/shard-schema.ts";

/** Rows of one example in a shard. */
export interface StoredRun {
  example: string;
  contentHash: string | null;
  /** Where they are: an example may go on in the next batch. */
  parts: StoredPart[];
}

/** Rows `from` to `to` − 1 of a batch. */
export interface StoredPart {
  batch: number;
  from: number;
  to: number;
}

/** Opens a shard whose bytes are as they were written. Throws DatasetError. */
export async function openWhole(
  folder: string,
  shard: ShardEntry,
  columns: ShardColumns,
): Promise<OpenShard> {
  await checkShardSum(await checkShardFile(folder, shard), shard.sha256);
  return openShard(join(folder, shard.file), columns);
}

/** The examples of a shard in order, with their rows; reads no layer. */
export async function readRuns(shard: OpenShard, { fields }: ShardColumns): Promise<StoredRun[]> {
  const { example, content_hash } = standardColumns;
  const hashed = fields.some(({ name }) => name === content_hash.name);
  const runs: StoredRun[] = [];
  for (const [batch, columns] of shard.layout.batches.entries()) {
    const at = { columns, read: shard.read };
    const names = await batchColumn(at, example);
    const hashes = hashed ? await batchColumn(at, content_hash) : [];
    names.forEach((name, row) => {
      const run = runs.at(-1);
      const part = run?.parts.at(-1);
      const contentHash = (hashes[row] ?? null) as string | null;
      if (run?.example !== name)
        runs.push({ example: name as string, contentHash, parts: [{ batch, from: row, to: row + 1 }] });
      else if (part?.batch === batch) part.to++;
      else run.parts.push({ batch, from: 0, to: 1 });
    });
  }
  return runs;
}
