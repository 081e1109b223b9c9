import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import { checkShardSum, withShard } from "../dataset/dataset-shard.ts";
import { cutByExample, joinBlocks, type RowBlock } from "../shards/row-block.ts";
import { readIdentity, type ShardColumns, type ShardIdentity } from "../shards/shard-schema.ts";
import type { CaptureFormat, Journal } from "./dataset-journal.ts";
import { inHandName } from "./dataset-writer.ts";
import { ShardRows } from "./shard-rows.ts";
import { warnDamaged } from "./warn-damaged.ts";

/**
 * The rows that a clean stop parked, by example, if they belong after the finished shards and are as they were written: the journal has
 * their SHA-256. Others are captured again.
 */
export async function readInHand(
  folder: string,
  columns: ShardColumns & CaptureFormat,
  journal: Journal,
  sha256: string | undefined,
): Promise<RowBlock[]> {
  if (sha256 === undefined) return [];
  const path = join(folder, inHandName);
  const parked = await ifWhole(async () => {
    await checkShardSum(path, sha256);
    return withShard(path, columns, async (file, layout) => {
      const identity = expectedIdentity(readIdentity(layout.metadata), journal, columns);
      if (identity === undefined) return undefined;
      const blocks: RowBlock[] = [];
      const shard = new ShardRows({ layout, read: (use) => use(file) }, columns);
      for (const [batch, where] of layout.batches.entries()) {
        const to = where.get("example")?.rows ?? 0;
        blocks.push(await shard.rows({ batch, from: 0, to }));
      }
      const parts = cutByExample(joinBlocks(blocks, columns));
      return parts.length === identity.examples ? parts : undefined;
    });
  }, warnDamaged);
  return parked ?? [];
}

/** What a shard says of itself, if it is the one that comes next. */
export function expectedIdentity(
  found: ShardIdentity | undefined,
  journal: Journal,
  format: CaptureFormat,
): ShardIdentity | undefined {
  const firstExample = journal.shards.reduce((sum, { examples }) => sum + examples, 0);
  const fits =
    found?.plan === journal.plan.hash &&
    found.shard === journal.shards.length &&
    found.firstExample === firstExample &&
    found.checkpoint === format.checkpoint;
  return fits ? found : undefined;
}

/** What is not whole is collected again: these files were never promised to anybody. */
export async function ifWhole<T>(
  read: () => Promise<T | undefined>,
  tell?: (error: DatasetError) => void,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    tell?.(error);
    return undefined;
  }
}
