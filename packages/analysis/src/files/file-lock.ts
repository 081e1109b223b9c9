import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
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
/** A draft of which nothing can be read is being written, which takes no time, or its process was killed then. */
const brief = 10_000;

/**
 * Takes the one writer's place in a folder. The lock is a file with the owner's pid, host and start; a lock whose process is
 * gone is taken over. Throws DatasetError `dataset_locked` while the owner lives.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, lockName);
  const owner = await ourselves();
  const draft = join(folder, `${lockName}-${owner.token}`);
  try {
    let takenOver = false;
    for (; !(await drawn(draft, owner, path)); takenOver = true) await removeIfLeft(path, folder);
    if (takenOver) await confirm(path, folder, owner);
    for (const left of await leftDrafts(folder)) await rm(left, { force: true });
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

/** Whether a folder has the lock of a process that is gone, or one that was not taken yet when its process was killed. */
export async function hasLeftLock(folder: string): Promise<boolean> {
  return (await isLeft(join(folder, lockName))) || (await leftDrafts(folder)).length > 0;
}

/** Locks under the names that they have before they are taken and while they are taken over, whose process is gone. */
async function leftDrafts(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^collect\.lock-(left-)?[\da-f-]{36}$/.test(name));
  const left: string[] = [];
  for (const path of names.map((name) => join(folder, name))) if (await isLeft(path, brief)) left.push(path);
  return left;
}

/** `unread`: for how long one may be there whose owner is not written yet. */
async function isLeft(path: string, unread = silence): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return false;
  const age = Date.now() - found.mtimeMs;
  const owner = await readOwner(path);
  return owner === undefined ? age >= unread : !(await alive(owner, age));
}

/** A hard link appears whole or not at all, and fails when the name is taken. */
async function drawn(draft: string, owner: Owner, path: string): Promise<boolean> {
  await writeFile(draft, JSON.stringify(owner));
  return linked(draft, path);
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
    // ENOENT: this process was halted for so long that another one took its draft for left.
    if (["EEXIST", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
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
