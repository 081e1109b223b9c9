import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for a test, removed afterwards. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "residua-dataset-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Names in a folder that a finished dataset may not have beside its own. */
export async function leftovers(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name !== "dataset.json" && !/^shard-\d{5}\.arrow$/.test(name));
}
