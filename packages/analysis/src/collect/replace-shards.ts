import type { DatasetManifest, ShardEntry } from "../dataset/dataset-manifest.ts";
import { writeManifest } from "../dataset/dataset-manifest.ts";
import type { ActivationDataset } from "../dataset/dataset-open.ts";
import type { ColumnField } from "../shards/column-field.ts";
import { cutByExample, joinBlocks, type RowBlock } from "../shards/row-block.ts";
import type { CollectFailure } from "./collect-failure.ts";
import { formatOf, writeJournal, type Journal } from "./dataset-journal.ts";
import type { Plan } from "./dataset-plan.ts";
import { DatasetWriter } from "./dataset-writer.ts";
import { failuresName, writeFailures } from "./failures-file.ts";
import { removeLeftovers } from "./run-leftovers.ts";
import { runOfName } from "./run-names.ts";

/** The same dataset with other failures, or none. */
export async function replaceFailures(
  folder: string,
  { failures: _, ...manifest }: DatasetManifest,
  failures: readonly CollectFailure[],
): Promise<void> {
  const listed = await writeFailures(folder, failuresName(nextRun({ ...manifest, failures: _ })), failures);
  const replaced = { ...manifest, failures: listed };
  await writeManifest(folder, replaced);
  await removeLeftovers(folder, replaced);
}

export interface ReplaceOptions {
  /** Rows to put among the others, in the order of the examples. */
  rows: ActivationDataset;
  /** Their examples, by index. */
  recovered: ReadonlySet<number>;
  /** Examples that the dataset has no rows of. */
  missing: ReadonlySet<number>;
  /** Those that still have none. */
  failures: readonly CollectFailure[];
  /** How many examples there are. */
  total: number;
  /** Of the rows to put among the others: a grade may have brought a label that none had before. */
  columns: readonly ColumnField[];
  shardRows: number;
  signal: AbortSignal | undefined;
}

/**
 * Writes the shards from the first recovered example on anew, under names of their own; then the manifest, and then the old files
 * go. Stopped in the middle, the old dataset is there, and what was written is removed by the next call.
 */
export async function replaceShards(dataset: ActivationDataset, options: ReplaceOptions): Promise<void> {
  const { folder, manifest } = dataset;
  const { missing, failures, total, shardRows, signal } = options;
  const { chatTemplate, server } = manifest;
  const isWider = options.columns.some(({ name }) => !dataset.columns.includes(name));
  const columns = isWider ? options.columns : manifest.columns;
  // Every shard has the same columns.
  const { kept, next, examples } = isWider ? noShards : keptShards(manifest, options);
  const journal: Journal = {
    plan: (manifest.origin as { plan: Plan }).plan,
    shardRows,
    columns,
    format: formatOf(manifest),
    shards: kept,
    failures: failures.filter(({ index }) => index < next),
  };
  const failed = new Map(failures.map((failure) => [failure.index, failure]));
  await writeJournal(folder, journal);
  const writer = new DatasetWriter({ folder, journal, inHand: [], next, run: nextRun(manifest) });
  const old = { runs: runsOf(dataset, examples), format: formatOf(manifest) };
  const found = { runs: runsOf(options.rows, 0), format: formatOf(options.rows.manifest) };
  try {
    for (let index = next; index < total; index++) {
      signal?.throwIfAborted();
      const failure = failed.get(index);
      if (failure !== undefined) await writer.fail(failure);
      else {
        const { runs, format } = missing.has(index) ? found : old;
        const { value: block } = await runs.next();
        await writer.add({ rows: { index, block: block as RowBlock }, format });
      }
    }
  } finally {
    // Each holds a shard open.
    for (const { runs } of [old, found]) await runs.return(undefined);
  }
  const replaced = await writer.finish({ server: server as never, chatTemplate });
  await removeLeftovers(folder, replaced);
}

const noShards: ReturnType<typeof keptShards> = { kept: [], next: 0, examples: 0 };

/** The shards that no recovered example comes into, the index of the example after them, and how many have rows there. */
function keptShards(
  { shards }: DatasetManifest,
  { recovered, missing }: ReplaceOptions,
): { kept: ShardEntry[]; next: number; examples: number } {
  const first = Math.min(...recovered);
  const kept: ShardEntry[] = [];
  let next = 0;
  let examples = 0;
  for (const shard of shards) {
    let end = next;
    for (let left = shard.examples; left > 0; end++) if (!missing.has(end)) left--;
    if (end > first) break;
    kept.push(shard);
    next = end;
    examples += shard.examples;
  }
  return { kept, next, examples };
}

/** The rows of each example, from one on. */
async function* runsOf(dataset: ActivationDataset, from: number): AsyncGenerator<RowBlock, undefined> {
  const { fields, layers, dtype } = dataset;
  let parts: RowBlock[] = [];
  let seen = 0;
  const isOther = (run: RowBlock): boolean => nameOf(run) !== nameOf(parts[0] as RowBlock);
  for await (const block of dataset.blocks()) {
    for (const run of cutByExample(block)) {
      if (parts.length > 0 && isOther(run)) {
        if (seen++ >= from) yield joinBlocks(parts, { fields, layers, dtype });
        parts = [];
      }
      parts.push(run);
    }
  }
  if (parts.length > 0 && seen >= from) yield joinBlocks(parts, { fields, layers, dtype });
  return undefined;
}

function nameOf({ columns }: RowBlock): unknown {
  return columns.get("example")?.[0];
}

/** A run whose names no file of the manifest has. */
function nextRun({ shards, failures }: Pick<DatasetManifest, "shards" | "failures">): number {
  const runs = [...shards, ...(failures ? [failures] : [])].map(({ file }) => runOfName(file) ?? 0);
  return Math.max(...runs) + 1;
}
