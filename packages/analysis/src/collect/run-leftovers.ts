import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DatasetManifest } from "../dataset/dataset-manifest.ts";
import { removeDrafts } from "../files/file-atomic.ts";
import { hasLeftLock } from "../files/file-lock.ts";
import { journalName, removeJournal } from "./dataset-journal.ts";
import { inHandName } from "./dataset-writer.ts";
import { runOfName } from "./run-names.ts";

/**
 * Whether a run that was to replace shards of a finished dataset was stopped in the middle, or one that had finished it before it gave
 * back its lock.
 */
export async function hasLeftovers(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return names.includes(journalName) || names.includes(inHandName) || (await hasLeftLock(folder));
}

/** Removes what such a run left beside the files that the manifest lists. The folder is locked. */
export async function removeLeftovers(folder: string, manifest: DatasetManifest): Promise<void> {
  const listed = new Set([...manifest.shards.map(({ file }) => file), manifest.failures?.file]);
  for (const name of await readdir(folder))
    if (runOfName(name) !== undefined && !listed.has(name)) await rm(join(folder, name), { force: true });
  await rm(join(folder, inHandName), { force: true });
  await removeDrafts(folder);
  await removeJournal(folder);
}
