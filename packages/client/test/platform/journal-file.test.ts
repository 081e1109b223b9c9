import { type FileHandle, mkdtemp, open, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openJournalFile } from "../../src/platform/journal-file.ts";
import { lockFile } from "../../src/platform/lock-file.ts";

let folder: string;
let path: string;
/** What all file handles share, so that the disk's part can be watched. */
let handles: FileHandle;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-file-"));
  path = join(folder, "lines.jsonl");
  const handle = await open(path, "a");
  handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const reading = { onLine: () => undefined, mayCut: () => true };

describe("openJournalFile", () => {
  it("writes what waits for the disk together", async () => {
    const sync = vi.spyOn(handles, "datasync");
    const file = await openJournalFile(path, reading);
    await Promise.all(Array.from({ length: 2000 }, (_, i) => file.append(`${i}\n`)));
    expect(sync.mock.calls.length).toBeLessThan(5);
    await file.close();
    expect((await readFile(path, "utf8")).split("\n").slice(0, -1)).toEqual(
      Array.from({ length: 2000 }, (_, i) => String(i)),
    );
  });

  it("resolves only when the disk has it", async () => {
    let release: () => void = () => undefined;
    vi.spyOn(handles, "datasync").mockReturnValue(new Promise<void>((resolve) => (release = resolve)));
    const file = await openJournalFile(path, reading);
    const done = vi.fn();
    const appended = file.append("a\n").then(done);
    await vi.waitFor(async () => expect((await stat(path)).size).toBe(2));
    expect(done).not.toHaveBeenCalled();
    release();
    await appended;
    await file.close();
  });

  it("writes nothing after a write that failed", async () => {
    const file = await openJournalFile(path, reading);
    const full = Object.assign(new Error("full"), { code: "ENOSPC" });
    vi.spyOn(handles, "appendFile").mockRejectedValueOnce(full);
    await expect(file.append("a\n")).rejects.toMatchObject({ code: "journal_unwritable" });
    await expect(file.append("b\n")).rejects.toMatchObject({ data: { reason: "ENOSPC" } });
    await file.close();
    expect(await readFile(path, "utf8")).toBe("");
  });

  it("reads lines of any length and gives each back by its place", async () => {
    const texts = ["", "é", "x".repeat(3_000_000), "last"];
    await writeFile(path, texts.map((text) => `${text}\n`).join(""));
    const seen: { line: string; place: { offset: number; length: number } }[] = [];
    const onLine = (line: string, place: { offset: number; length: number }) => seen.push({ line, place });
    const file = await openJournalFile(path, { ...reading, onLine });
    expect(seen.map(({ line }) => line)).toEqual(texts);
    for (const { line, place } of seen) expect(await file.read(place)).toBe(line);
    await file.close();
  });
});

describe("lockFile", () => {
  const left = async (owner: object) =>
    writeFile(`${path}.lock`, JSON.stringify({ ...mine, token: "old", since: "then", ...owner }));
  const mine = { pid: process.pid, host: hostname(), started: "1" };

  it("is for one at a time, and given back", async () => {
    const unlock = await lockFile(path);
    await expect(lockFile(path)).rejects.toMatchObject({
      code: "journal_locked",
      data: { pid: process.pid },
    });
    await unlock();
    await (
      await lockFile(path)
    )();
    await expect(stat(`${path}.lock`)).rejects.toThrow("ENOENT");
  });

  it("of many that want it at once only one gets, also when an old one is there", async () => {
    for (const old of [false, true]) {
      if (old) await left({});
      const tried = await Promise.allSettled(Array.from({ length: 12 }, () => lockFile(path)));
      const got = tried.filter((one) => one.status === "fulfilled");
      expect(got).toHaveLength(1);
      for (const { value } of got) await value();
    }
  });

  it("takes over that of a process that is gone, or that has another's number", async () => {
    await left({ pid: 2 ** 22 + 1, started: null });
    await (
      await lockFile(path)
    )();
    await left({ started: "1" });
    await (
      await lockFile(path)
    )();
  });

  it("of another host is believed until it has been silent for ten minutes", async () => {
    await left({ host: "elsewhere" });
    await expect(lockFile(path)).rejects.toThrow(/process \d+ on elsewhere/);
    const long = new Date(Date.now() - 11 * 60_000);
    await utimes(`${path}.lock`, long, long);
    await (
      await lockFile(path)
    )();
  });
});
