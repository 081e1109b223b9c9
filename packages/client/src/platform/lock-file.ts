import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { JournalError } from "../journal/journal-error.ts";

const ownerSchema = z.object({
  pid: z.int(),
  host: z.string(),
  /** Start of the process in clock ticks since boot (Linux), so that a reused number is told apart; else null. */
  started: z.string().nullable(),
  since: z.string(),
  token: z.string(),
});
type Owner = z.infer<typeof ownerSchema>;

const beat = 30_000;
/** The process of another host cannot be asked for: its lock counts as left behind after so long without a beat. */
const silence = 10 * 60_000;

/**
 * Takes the one writer's place at a file, by `<file>.lock` beside it, and resolves with what gives it back. A lock whose
 * process is gone is taken over. Throws JournalError `journal_locked` while the owner lives.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const path = `${file}.lock`;
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    started: await startOf(process.pid),
    since: new Date().toISOString(),
    token: randomUUID(),
  };
  const draft = `${path}-${owner.token}`;
  try {
    await writeFile(draft, JSON.stringify(owner), { flag: "wx" });
    let takenOver = false;
    // A hard link appears whole or not at all, and fails when the name is taken.
    for (; !(await succeeds(link(draft, path), "EEXIST")); takenOver = true) await takeAway(file, path);
    // Somebody who looked at the old lock at the same moment may have moved ours aside.
    if (takenOver) await sleep(100);
    const current = await readOwner(path);
    if (current?.token !== owner.token) throw locked(file, current, 0);
  } finally {
    await rm(draft, { force: true });
  }
  const beating = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), beat);
  beating.unref();
  return async () => {
    clearInterval(beating);
    if ((await readOwner(path))?.token === owner.token) await rm(path, { force: true });
  };
}

/** Removes the lock of a process that is gone; one that another process made meanwhile is put back. */
async function takeAway(file: string, path: string): Promise<void> {
  const owner = await readOwner(path);
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => undefined,
  );
  if (age === undefined) return;
  if (await alive(owner, age)) throw locked(file, owner, age);
  const aside = `${path}-left-${randomUUID()}`;
  if (!(await succeeds(rename(path, aside), "ENOENT"))) return;
  if ((await readOwner(aside))?.token !== owner?.token) await succeeds(link(aside, path), "EEXIST");
  await rm(aside, { force: true });
}

/** False when it fails with this code. */
function succeeds(done: Promise<unknown>, code: string): Promise<boolean> {
  return done.then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === code) return false;
      throw error;
    },
  );
}

async function alive(owner: Owner | undefined, age: number): Promise<boolean> {
  if (owner === undefined || owner.host !== hostname()) return age < silence;
  const started = await startOf(owner.pid);
  if (owner.started !== null && started !== null) return owner.started === started;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    // It runs, and is somebody else's.
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

function locked(file: string, owner: Owner | undefined, age: number): JournalError {
  const who =
    owner === undefined
      ? "an unknown process"
      : `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  return new JournalError(
    "journal_locked",
    `${file} is being written by ${who} (last sign of life ${Math.round(age / 1000)} s ago); one run a journal. ` +
      `Wait for it to end, or name another file. If that process is surely gone, remove ${file}.lock`,
    { path: file, pid: owner?.pid, host: owner?.host, since: owner?.since, age: age / 1000 },
  );
}
