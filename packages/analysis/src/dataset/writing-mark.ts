import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { removeDrafts, writeFileAtomic } from "../files/file-atomic.ts";
import { isShardName } from "../shards/shard-schema.ts";

/** Stands in a folder while `writeDataset` fills it, and tells its shards from those of others. */
export const writingName = "writing.json";

export async function markWriting(folder: string, { how, from }: { how: string; from: readonly string[] }) {
  const text = JSON.stringify({ format: "residua-dataset-writing", how, from });
  await writeFileAtomic(join(folder, writingName), [new TextEncoder().encode(`${text}\n`)]);
}

export async function unmarkWriting(folder: string): Promise<void> {
  await rm(join(folder, writingName), { force: true });
}

/** Takes back what was written, as far as that is possible; the mark goes last. */
export async function takeBack(folder: string): Promise<void> {
  try {
    await removeDrafts(folder);
    for (const name of (await readdir(folder)).filter(isShardName)) await rm(join(folder, name));
    await unmarkWriting(folder);
  } catch {
    // What made the writing fail is the news; the mark says what the rest is.
  }
}
