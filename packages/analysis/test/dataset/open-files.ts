import { readdir, readlink } from "node:fs/promises";

/** What this process has open in these folders alone: other tests may run in it. Linux only. */
export async function openFiles(folders: readonly string[]): Promise<string[]> {
  const names = await readdir("/proc/self/fd");
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  return targets.filter((target) => folders.some((folder) => target.startsWith(folder)));
}
