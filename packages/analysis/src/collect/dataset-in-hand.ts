import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import { withShard } from "../dataset/dataset-shard.ts";
import { cutByExample, joinBlocks, type RowBlock } from "../shards/row-block.ts";
import { readIdentity, type ShardColumns, type ShardIdentity } from "../shards/shard-schema.ts";
import type { CaptureFormat, Journal } from "./dataset-journal.ts";
import { inHandName } from "./dataset-writer.ts";
import { ShardRows } from "./shard-rows.ts";

/** The rows that a clean stop parked, by example, if they belong after the finished shards. */
export async function readInHand(
  folder: string,
  columns: ShardColumns & CaptureFormat,
  journal: Journal,
): Promise<RowBlock[]> {
  const parked = await ifWhole(() =>
    withShard(join(folder, inHandName), columns, async (file, layout) => {
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
    }),
  );
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

/** What is not whole is simply collected again: these files were never promised to anybody. */
export async function ifWhole<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DatasetError) return undefined;
    throw error;
  }
}
