import { join, resolve } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import { shardColumns, type ShardEntry } from "../dataset/dataset-manifest.ts";
import { readManifest } from "../dataset/read-manifest.ts";
import { openShard, type OpenShard } from "../dataset/dataset-shard.ts";
import { exists } from "../files/exists.ts";
import type { ColumnValue } from "../shards/column-field.ts";
import { joinBlocks } from "../shards/row-block.ts";
import type { ShardColumns } from "../shards/shard-schema.ts";
import type { CollectItem } from "./collect-item.ts";
import { formatOf, readJournal, type CaptureFormat } from "./dataset-journal.ts";
import { rolloutsName } from "./rollouts/rollout-journal.ts";
import { itemColumns, type CapturedRows } from "./select-capture.ts";
import { ShardRows } from "./shard-rows.ts";
import { warnNotReused } from "./warn-damaged.ts";
import { openWhole, readRuns, type StoredRun } from "./stored-runs.ts";

/** Shards of a folder that rows are taken from. */
interface ReuseSource {
  folder: string;
  shards: readonly ShardEntry[];
  columns: ShardColumns;
  format: CaptureFormat;
}

interface Place {
  source: ReuseSource;
  shard: ShardEntry;
  run: StoredRun;
}

/** What a capture tells of tokens; the other columns are the example's own. */
const tokenColumns = ["position", "token_id", "token", "role", "token_ids", "prompt_length"];

/** Rows that are on disk already, by the content hash of their example. */
export class ReusedRows {
  readonly #places = new Map<string, Place>();
  readonly #readers = new ShardReaders();

  has({ contentHash }: CollectItem): boolean {
    return this.#places.has(contentHash);
  }

  /**
   * Takes in what a folder has: a dataset, or the finished shards of a collection that has not ended. Shards that are missing or
   * damaged are passed over with a warning. Throws DatasetError where there is neither, and of a derived dataset: a filtered one may lack rows or
   * layers of an example whose hash it still has.
   */
  async addFolder(folder: string): Promise<void> {
    const source = await readSource(resolve(folder));
    if (source === undefined) return;
    const damaged: DatasetError[] = [];
    for (const shard of source.shards) {
      try {
        const opened = await openWhole(source.folder, shard, source.columns);
        try {
          for (const run of await readRuns(opened, source.columns))
            if (run.contentHash !== null) this.#places.set(run.contentHash, { source, shard, run });
        } finally {
          await opened.close();
        }
      } catch (error) {
        if (!(error instanceof DatasetError && error.code.startsWith("shard_"))) throw error;
        damaged.push(error);
      }
    }
    warnNotReused(source.folder, damaged, { shards: source.shards.length });
  }

  /** The rows of an example, bit by bit as they are stored, with its own name, group and labels. Undefined where there are none. */
  async find(item: CollectItem): Promise<CapturedRows | undefined> {
    const place = this.#places.get(item.contentHash);
    if (place === undefined) return undefined;
    const { source, shard, run } = place;
    const blocks = await this.#readers.use(source, shard, (rows) =>
      Promise.all(run.parts.map((part) => rows.rows(part))),
    );
    const block = joinBlocks(blocks, source.columns);
    const columns = new Map<string, readonly ColumnValue[]>(itemColumns(item, block.rows));
    for (const name of tokenColumns) columns.set(name, block.columns.get(name) as ColumnValue[]);
    return { rows: { index: item.index, block: { ...block, columns } }, format: source.format };
  }

  close(): Promise<void> {
    return this.#readers.close();
  }
}

/** Shards that are kept open at once; examples come mostly in the order in which they are stored. */
const openAtOnce = 8;

interface Reader {
  shard: Promise<OpenShard>;
  rows: Promise<ShardRows>;
  users: number;
}

/** Opens shards when they are read, and closes those that were not used for longest. */
class ShardReaders {
  readonly #readers = new Map<ShardEntry, Reader>();

  async use<T>(
    { folder, columns }: ReuseSource,
    entry: ShardEntry,
    read: (rows: ShardRows) => Promise<T>,
  ): Promise<T> {
    const reader = this.#readers.get(entry) ?? openReader(join(folder, entry.file), columns);
    this.#readers.delete(entry);
    this.#readers.set(entry, reader);
    reader.users++;
    try {
      return await read(await reader.rows);
    } finally {
      reader.users--;
      await this.#closeOldest();
    }
  }

  async #closeOldest(): Promise<void> {
    for (const [entry, reader] of this.#readers) {
      if (this.#readers.size <= openAtOnce) return;
      if (reader.users > 0) continue;
      this.#readers.delete(entry);
      await closeReader(reader);
    }
  }

  async close(): Promise<void> {
    const readers = [...this.#readers.values()];
    this.#readers.clear();
    await Promise.all(readers.map(closeReader));
  }
}

function openReader(path: string, columns: ShardColumns): Reader {
  const shard = openShard(path, columns);
  return { shard, rows: shard.then((opened) => new ShardRows(opened, columns)), users: 0 };
}

async function closeReader({ shard }: Reader): Promise<void> {
  const opened = await shard.catch(() => undefined);
  await opened?.close();
}

/** Undefined of rollouts of which none was captured yet. */
async function readSource(folder: string): Promise<ReuseSource | undefined> {
  try {
    const manifest = await readManifest(folder);
    const { origin } = manifest;
    if (origin.kind === "derived") throw derived(folder, origin.how);
    return { folder, shards: manifest.shards, columns: shardColumns(manifest), format: formatOf(manifest) };
  } catch (error) {
    if (!(error instanceof DatasetError && error.code === "dataset_incomplete")) throw error;
    const journal = await readJournal(folder);
    if (journal?.format === undefined) {
      if (await exists(join(folder, rolloutsName))) return undefined;
      throw error;
    }
    const { columns: fields, format, shards } = journal;
    return { folder, shards, columns: { fields, ...format }, format };
  }
}

function derived(path: string, how: string): DatasetError {
  return new DatasetError("dataset_differs", {
    path,
    found: `a dataset that was not collected, but made by ${how}`,
    expected: "a collected dataset, which has every row and layer that its content hashes stand for",
    advice: "Give reuse the folders that it was made from.",
  });
}
