import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { DatasetOrigin, ShardEntry } from "../dataset/dataset-manifest.ts";
import { openShard } from "../dataset/dataset-shard.ts";
import { hashFile } from "../files/file-hash.ts";
import type { ColumnField } from "../shards/column-field.ts";
import { isShardName, readIdentity, shardName, type ShardColumns } from "../shards/shard-schema.ts";
import type { CollectFailure } from "./collect-failure.ts";
import type { PreparedItem } from "./collect-item.ts";
import { expectedIdentity, ifWhole, readInHand } from "./dataset-in-hand.ts";
import {
  journalName,
  readJournal,
  writeJournal,
  type CaptureFormat,
  type Journal,
} from "./dataset-journal.ts";
import { isSamePlan, planDifference, type Plan } from "./dataset-plan.ts";
import type { ExampleRows } from "./select-capture.ts";
import { openWhole, readRuns, type StoredRun } from "./stored-runs.ts";
import { warnDamaged } from "./warn-damaged.ts";

export interface ResumeOptions {
  folder: string;
  plan: Plan;
  columns: readonly ColumnField[];
  items: readonly PreparedItem[];
  shardRows: number;
  /** Whether a run in which nothing went well so far is gone on with, rather than begun anew. */
  keepFailures: boolean;
}

export interface Resumed {
  journal: Journal;
  /** Rows of the shard that was in hand. */
  inHand: ExampleRows[];
  /** Index of the first example that is not through. */
  next: number;
  /** How often each example failed before, by its index. */
  attempts: ReadonlyMap<number, number>;
}

/**
 * What a run before left in the folder: finished shards whose bytes are as they were written, the rows that a clean stop parked, and
 * the failures between them. Writes the journal of this run. Throws DatasetError `dataset_differs` when the folder is of another plan.
 */
export async function resumeCollection(options: ResumeOptions): Promise<Resumed> {
  const { folder, plan, columns, items, shardRows, keepFailures } = options;
  const before = await readJournal(folder);
  if (before === undefined) await refuseForeignShards(folder);
  else refuseOtherPlan(folder, { kind: "collected", plan: before.plan }, plan);
  const journal: Journal = before
    ? { ...before, columns, shards: [], failures: [], inHand: undefined }
    : { plan, shardRows, columns, format: undefined, shards: [], failures: [] };
  const walk = new Walk(folder, items, before?.failures ?? []);
  const inHand: ExampleRows[] = [];
  if (before !== undefined && journal.format !== undefined) {
    const form = { fields: columns, ...journal.format };
    for (const shard of before.shards) {
      const runs = await ifUndamaged(() => runsOf(folder, shard, form));
      if (runs === undefined) break;
      walk.pass(runs);
      journal.shards.push(shard);
    }
    // A crash can fall between the shard's rename and its line in the journal: then one more shard is there.
    if (journal.shards.length === before.shards.length) {
      const unlisted = await readUnlisted(folder, form, journal, journal.format);
      if (unlisted) {
        walk.pass(unlisted.runs);
        journal.shards.push(unlisted.shard);
      }
    }
    for (const block of await readInHand(folder, form, journal, before.inHand)) {
      const example = block.columns.get("example")?.[0] as string;
      const contentHash = (block.columns.get("content_hash")?.[0] ?? null) as string | null;
      inHand.push({ index: walk.pass([{ example, contentHash }]), block });
    }
    if (inHand.length > 0) journal.inHand = before.inHand;
  }
  walk.passFailures();
  const some = keepFailures || journal.shards.length > 0 || inHand.length > 0;
  journal.failures = some ? walk.failures : [];
  await writeJournal(folder, journal);
  return { journal, inHand, next: some ? walk.next : 0, attempts: walk.attempts };
}

/** Goes along the examples and what there is of them, which stands in the same order. */
class Walk {
  readonly #folder: string;
  readonly #items: readonly PreparedItem[];
  readonly #failed: ReadonlyMap<number, CollectFailure>;
  readonly attempts: ReadonlyMap<number, number>;
  /** Those passed. */
  readonly failures: CollectFailure[] = [];
  next = 0;

  constructor(folder: string, items: readonly PreparedItem[], failures: readonly CollectFailure[]) {
    this.#folder = folder;
    this.#items = items;
    this.#failed = new Map(failures.map((failure) => [failure.index, failure]));
    this.attempts = new Map(failures.map(({ index, attempts }) => [index, attempts]));
  }

  /** Returns the index of the last of them. Throws DatasetError `dataset_differs` where they are not of these examples. */
  pass(runs: readonly Pick<StoredRun, "example" | "contentHash">[]): number {
    for (const { example, contentHash } of runs) {
      while (this.#idAt(this.next) !== example && this.#passFailure());
      const due = this.#idAt(this.next);
      if (due !== example) throw outOfOrder(this.#folder, example, due);
      const hash = this.#items[this.next]?.item?.contentHash ?? null;
      if (hash !== null && contentHash !== null && hash !== contentHash)
        throw otherTokens(this.#folder, example);
      this.next++;
    }
    return this.next - 1;
  }

  passFailures(): void {
    while (this.#passFailure());
  }

  #passFailure(): boolean {
    const failure = this.#failed.get(this.next);
    if (failure === undefined) return false;
    this.failures.push(failure);
    this.next++;
    return true;
  }

  #idAt(index: number): string | undefined {
    const { item, failure } = this.#items[index] ?? {};
    return item?.example.id ?? failure?.example;
  }
}

const elsewhere =
  "Collect into another folder (freeRunName gives a free name beside this one); with reuse: [this folder] it takes what is the same from " +
  "here.";

function otherTokens(path: string, example: string): DatasetError {
  return new DatasetError("dataset_differs", {
    path,
    found: `rows of example ${JSON.stringify(example)} that follow from other tokens than it has now (another chat template?)`,
    expected: "rows of the same examples, in their order",
    advice: elsewhere,
  });
}

/** Every example before has rows or a failure. */
function outOfOrder(path: string, example: string, due: string | undefined): DatasetError {
  return new DatasetError("dataset_differs", {
    path,
    found:
      `rows of example ${JSON.stringify(example)} where ` +
      (due === undefined
        ? "no more are due"
        : `those of ${JSON.stringify(due)} are due, of which ${journalName} has no failure`),
    expected:
      "rows or a failure of each example, in their order: a line of the journal is lost, or the shards are of another run",
    advice: elsewhere,
  });
}

/** Refuses a folder that belongs to another plan. */
export function refuseOtherPlan(folder: string, there: DatasetOrigin, asked: Plan): void {
  if (there.kind === "collected" && isSamePlan(there.plan, asked)) return;
  throw new DatasetError("dataset_differs", {
    path: folder,
    found:
      there.kind === "collected"
        ? `a dataset of another plan: ${planDifference(there.plan, asked)}`
        : `a dataset that was not collected, but made by ${there.how}`,
    expected: asked.rollouts
      ? "an empty folder, or one with the same model, examples, sampling, gradeVersion, layers and selection"
      : "an empty folder, or one with the same model, examples, layers and selection",
    advice:
      "Collect into another folder (freeRunName gives a free name beside this one); with reuse: [this folder] it takes what is the same " +
      "from here.",
  });
}

async function refuseForeignShards(folder: string): Promise<void> {
  const foreign = (await readdir(folder)).find(isShardName);
  if (foreign === undefined) return;
  throw new DatasetError("dataset_differs", {
    path: folder,
    found: `${foreign} without a dataset.json or a journal that says what it is`,
    expected: "a folder without shards",
    advice: "Collect into another folder (freeRunName gives a free name beside this one).",
  });
}

/** A shard that is missing or damaged is collected again, and so are those after it. */
async function ifUndamaged<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DatasetError && error.code.startsWith("shard_"))) throw error;
    warnDamaged(error);
    return undefined;
  }
}

async function runsOf(folder: string, entry: ShardEntry, form: ShardColumns): Promise<StoredRun[]> {
  const shard = await openWhole(folder, entry, form);
  try {
    return await readRuns(shard, form);
  } finally {
    await shard.close();
  }
}

async function readUnlisted(
  folder: string,
  columns: ShardColumns,
  journal: Journal,
  format: CaptureFormat,
): Promise<{ shard: ShardEntry; runs: StoredRun[] } | undefined> {
  const file = shardName(journal.shards.length);
  const path = join(folder, file);
  return ifWhole(async () => {
    const shard = await openShard(path, columns);
    try {
      const { layout } = shard;
      const identity = expectedIdentity(readIdentity(layout.metadata), journal, format);
      if (identity === undefined) return undefined;
      const { size } = await shard.read((handle) => handle.stat());
      const { examples } = identity;
      const entry = { file, rows: layout.rows, examples, bytes: size, sha256: await hashFile(path) };
      return { shard: entry, runs: await readRuns(shard, columns) };
    } finally {
      await shard.close();
    }
  });
}
