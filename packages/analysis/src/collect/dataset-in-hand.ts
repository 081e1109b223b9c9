import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { CaptureFormat, Journal } from "./dataset-journal.ts";
import { withShard } from "../dataset/dataset-shard.ts";
import { inHandName } from "./dataset-writer.ts";
import type { CheckedExamples } from "../examples/example.ts";
import type { ColumnValue } from "../shards/column-field.ts";
import { cutByExample, joinBlocks, type RowBlock } from "../shards/row-block.ts";
import type { RowNumbers } from "../shards/row-dtype.ts";
import type { ColumnLayout } from "../shards/shard-batch.ts";
import { readColumn, readLayerRows } from "../shards/shard-columns.ts";
import type { ExampleRows } from "./select-capture.ts";
import { layerColumn, readIdentity, type ShardColumns, type ShardIdentity } from "../shards/shard-schema.ts";

/** The rows that a clean stop parked, if they belong after the finished shards. */
export async function readInHand(
  folder: string,
  columns: ShardColumns & CaptureFormat,
  journal: Journal,
  { examples }: CheckedExamples,
): Promise<ExampleRows[]> {
  const parked = await ifWhole(() =>
    withShard(join(folder, inHandName), columns, async (file, layout) => {
      const identity = expectedIdentity(readIdentity(layout.metadata), journal, columns);
      if (identity === undefined) return undefined;
      const blocks: RowBlock[] = [];
      for (const batch of layout.batches) blocks.push(await readBatch(file, batch, columns));
      const parts = cutByExample(joinBlocks(blocks, columns)).map((block, i) => ({
        index: identity.firstExample + i,
        block,
      }));
      const fits = parts.every(
        ({ index, block }) => block.columns.get("example")?.[0] === examples[index]?.id,
      );
      return fits && parts.length === identity.examples ? parts : undefined;
    }),
  );
  return parked ?? [];
}

async function readBatch(
  file: FileHandle,
  batch: ReadonlyMap<string, ColumnLayout>,
  { fields, layers, hiddenSize, dtype }: ShardColumns,
): Promise<RowBlock> {
  const rows = batch.get("example")?.rows ?? 0;
  const columns = new Map<string, ColumnValue[]>();
  for (const field of fields)
    columns.set(field.name, await readColumn(file, field, batch.get(field.name) as ColumnLayout));
  const numbers: RowNumbers[] = [];
  for (const layer of layers) {
    const where = batch.get(layerColumn(layer)) as ColumnLayout;
    numbers.push(await readLayerRows(file, where, { hiddenSize, dtype }, { from: 0, to: rows }));
  }
  return { rows, columns, layers: numbers };
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
