import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import { expectedIdentity, ifWhole, readInHand } from "./dataset-in-hand.ts";
import { readJournal, writeJournal, type CaptureFormat, type Journal } from "./dataset-journal.ts";
import type { DatasetOrigin, ShardEntry } from "../dataset/dataset-manifest.ts";
import type { ExampleRows } from "./select-capture.ts";
import { planDifference, type Plan } from "./dataset-plan.ts";
import { checkShardFile, checkShardSum, withShard } from "../dataset/dataset-shard.ts";
import { exampleFields } from "../examples/example-fields.ts";
import type { CheckedExamples } from "../examples/example.ts";
import { hashFile } from "../files/file-hash.ts";
import { isShardName, readIdentity, shardName, type ShardColumns } from "../shards/shard-schema.ts";

export interface ResumeOptions {
  folder: string;
  plan: Plan;
  checked: CheckedExamples;
  shardRows: number;
}

/**
 * What a run before left in the folder: finished shards whose bytes are as they were written, and the rows that a clean
 * stop parked. Writes the journal of this run. Throws DatasetError `dataset_differs` when the folder is of another plan.
 */
export async function resumeCollection(
  options: ResumeOptions,
): Promise<{ journal: Journal; inHand: ExampleRows[] }> {
  const { folder, plan, checked, shardRows } = options;
  const before = await readJournal(folder);
  if (before === undefined) await refuseForeignShards(folder);
  else refuseOtherPlan(folder, { kind: "collected", plan: before.plan }, plan);
  const journal: Journal = before
    ? { ...before, shards: [] }
    : { plan, shardRows, format: undefined, shards: [] };
  for (const shard of before?.shards ?? []) {
    if (!(await isWhole(folder, shard))) break;
    journal.shards.push(shard);
  }
  let inHand: ExampleRows[] = [];
  if (journal.format !== undefined) {
    const columns = { fields: exampleFields(checked), ...journal.format };
    // A crash can fall between the shard's rename and its line in the journal: then one more shard is there.
    if (journal.shards.length === before?.shards.length) {
      const unlisted = await readUnlisted(folder, columns, journal, journal.format);
      if (unlisted) journal.shards.push(unlisted);
    }
    inHand = await readInHand(folder, columns, journal, checked);
  }
  await writeJournal(folder, journal);
  return { journal, inHand };
}

/** Refuses a folder that belongs to another plan. */
export function refuseOtherPlan(folder: string, there: DatasetOrigin, asked: Plan): void {
  if (there.kind === "collected" && there.plan.hash === asked.hash) return;
  throw new DatasetError("dataset_differs", {
    path: folder,
    found:
      there.kind === "collected"
        ? `a dataset of another plan: ${planDifference(there.plan, asked)}`
        : `a dataset that was not collected, but made by ${there.how}`,
    expected: "an empty folder, or one with the same model, examples, layers and selection",
    advice: "Collect into another folder (freeRunName gives a free name beside this one).",
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
async function isWhole(folder: string, shard: ShardEntry): Promise<boolean> {
  try {
    await checkShardSum(await checkShardFile(folder, shard), shard.sha256);
    return true;
  } catch (error) {
    if (error instanceof DatasetError && error.code.startsWith("shard_")) return false;
    throw error;
  }
}

async function readUnlisted(
  folder: string,
  columns: ShardColumns,
  journal: Journal,
  format: CaptureFormat,
): Promise<ShardEntry | undefined> {
  const file = shardName(journal.shards.length);
  const path = join(folder, file);
  return ifWhole(() =>
    withShard(path, columns, async (handle, layout) => {
      const identity = expectedIdentity(readIdentity(layout.metadata), journal, format);
      if (identity === undefined) return undefined;
      const { size } = await handle.stat();
      return {
        file,
        rows: layout.rows,
        examples: identity.examples,
        bytes: size,
        sha256: await hashFile(path),
      };
    }),
  );
}
