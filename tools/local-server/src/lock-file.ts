import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** The locks of this process: one of its number that is not here was left by an earlier process, as in a container. */
const held = new Set<string>();

/**
 * Makes a file that says which process uses something, and returns what removes it. One of a process that is gone is taken
 * over. Throws an Error that names the process which still runs, or the file system's.
 */
export function lockFile(file: string): () => void {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      held.add(file);
      return () => {
        held.delete(file);
        rmSync(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = readOwner(file);
    if (owner === null) continue;
    if (owner === process.pid ? held.has(file) : runs(owner))
      throw new Error(`process ${owner} uses it, and one server at a time may (${file})`);
    takeAway(file, owner);
  }
}

/** Null when it is gone. */
function readOwner(file: string): number | null {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Removes the lock of a process that is gone; one that another process made meanwhile is put back. */
function takeAway(file: string, owner: number): void {
  const aside = `${file}.${randomBytes(4).toString("hex")}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (readOwner(aside) !== owner) linkSync(aside, file);
  rmSync(aside);
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and is somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
