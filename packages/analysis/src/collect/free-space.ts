import { stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Bytes that this user may still write where a folder is or will be; undefined where the system does not tell. */
export async function freeSpace(folder: string): Promise<number | undefined> {
  const there = await nearest(resolve(folder));
  try {
    const { bavail, bsize } = await statfs(there);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** The folder itself, or the first one above it that is there. */
async function nearest(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined || dirname(path) === path ? path : nearest(dirname(path));
}
