import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { DatasetError, fileError } from "../dataset/dataset-error.ts";

const ownerSchema = z.object({
  pid: z.int(),
  host: z.string(),
  /** Start of the process in clock ticks since boot (Linux), so that a reused pid is told apart; else null. */
  started: z.string().nullable(),
  since: z.string(),
  token: z.string(),
});
type Owner = z.infer<typeof ownerSchema>;

export interface FolderLock {
  release(): Promise<void>;
}

const lockName = "collect.lock";
const beat = 30_000;
/** A lock of another host cannot be asked for its process: it counts as left behind after this long without a beat. */
const silence = 10 * 60_000;

/**
 * Takes the one writer's place in a folder. The lock is a file with the owner's pid, host and start; a lock whose process is
 * gone is taken over. Throws DatasetError `dataset_locked` while the owner lives.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, lockName);
  const owner = await ourselves();
  const draft = join(folder, `${lockName}-${owner.token}`);
  try {
    await writeFile(draft, JSON.stringify(owner), { flag: "wx" });
    // A hard link appears whole or not at all, and fails when the name is taken.
    let takenOver = false;
    for (; !(await linked(draft, path)); takenOver = true) await removeIfLeft(path, folder);
    if (takenOver) await confirm(path, folder, owner);
  } catch (error) {
    throw fileError(error, path, "write");
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  const beating = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), beat);
  beating.unref();
  return {
    async release() {
      clearInterval(beating);
      const current = await readOwner(path);
      if (current?.token === owner.token) await rm(path, { force: true });
    },
  };
}

/** Whether a folder has the lock of a process that is gone. */
export async function hasLeftLock(folder: string): Promise<boolean> {
  const path = join(folder, lockName);
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !(await alive(await readOwner(path), Date.now() - found.mtimeMs));
}

async function ourselves(): Promise<Owner> {
  return {
    pid: process.pid,
    host: hostname(),
    started: await startOf(process.pid),
    since: new Date().toISOString(),
    token: randomUUID(),
  };
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function removeIfLeft(path: string, folder: string): Promise<void> {
  const owner = await readOwner(path);
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => undefined,
  );
  if (age === undefined) return;
  if (await alive(owner, age)) throw locked(path, folder, owner, age);
  // By rename, and looked at again: between reading and removing, another process may have taken the place.
  const aside = `${path}-left-${randomUUID()}`;
  if (
    !(await rename(path, aside).then(
      () => true,
      () => false,
    ))
  )
    return;
  if ((await readOwner(aside))?.token !== owner?.token) await linked(aside, path);
  await rm(aside, { force: true });
}

/** Somebody who looked at the old lock at the same moment may have moved ours aside; wait until all have seen ours. */
async function confirm(path: string, folder: string, { token }: Owner): Promise<void> {
  await sleep(100);
  const current = await readOwner(path);
  if (current?.token !== token) throw locked(path, folder, current, 0);
}

async function alive(owner: Owner | undefined, age: number): Promise<boolean> {
  if (owner === undefined || owner.host !== hostname()) return age < silence;
  const started = await startOf(owner.pid);
  if (owner.started !== null && started !== null) return owner.started === started;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets. A zombie is not the owner any more. */
async function startOf(pid: number): Promise<string | null> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [state, ...fields] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return state === "Z" ? "ended" : (fields[18] ?? null);
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return ownerSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

function locked(path: string, folder: string, owner: Owner | undefined, age: number): DatasetError {
  const who =
    owner === undefined
      ? "an unknown process"
      : `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  return new DatasetError("dataset_locked", {
    path: folder,
    found: `${who} is writing here (last sign of life ${Math.round(age / 1000)} s ago)`,
    expected: "one writer a folder",
    advice: `Wait for it to end, or choose another folder. If that process is surely gone, remove ${path}.`,
  });
}
