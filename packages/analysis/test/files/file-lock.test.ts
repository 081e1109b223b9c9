import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasLeftLock, lockFolder } from "../../src/files/file-lock.ts";
import { freshFolder } from "../collect/collect-helpers.ts";

const owner = { host: hostname(), started: null, since: "2026-01-01T00:00:00.000Z", token: "other" };

test("one owner at a time; released, the place is free again", async () => {
  const folder = await freshFolder();
  const lock = await lockFolder(folder);
  const refused = await lockFolder(folder).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "dataset_locked", path: folder });
  expect((refused as Error).message).toContain(`process ${process.pid}`);
  await lock.release();
  expect(await readdir(folder)).toEqual([]);
  await (await lockFolder(folder)).release();
});

test("of many at once exactly one gets the lock, also over a dead owner", async () => {
  for (const dead of [false, true]) {
    const folder = await freshFolder();
    if (dead) await writeFile(join(folder, "collect.lock"), JSON.stringify({ ...owner, pid: deadPid() }));
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => lockFolder(folder)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["collect.lock"]);
  }
});

test("the lock of a dead process is taken over, also when it was killed and not yet reaped", async () => {
  const folder = await freshFolder();
  await writeFile(join(folder, "collect.lock"), JSON.stringify({ ...owner, pid: deadPid() }));
  await (await lockFolder(folder)).release();
});

test.runIf(process.platform === "linux")(
  "a reused pid is told apart by the start of its process",
  async () => {
    const folder = await freshFolder();
    await writeFile(
      join(folder, "collect.lock"),
      JSON.stringify({ ...owner, pid: process.pid, started: "1" }),
    );
    await (await lockFolder(folder)).release();
  },
);

test("the lock of a living process of this host holds, however old", async () => {
  const folder = await freshFolder();
  const child = spawn("sleep", ["60"]);
  try {
    await writeFile(join(folder, "collect.lock"), JSON.stringify({ ...owner, pid: child.pid }));
    await utimes(join(folder, "collect.lock"), 0, 0);
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: "dataset_locked" });
  } finally {
    child.kill("SIGKILL");
  }
});

test.each([
  ["another host", JSON.stringify({ ...owner, host: "elsewhere", pid: 1 })],
  ["nobody who can be read", "{"],
])("the lock of %s holds while it is fresh and falls after ten silent minutes", async (_, content) => {
  const folder = await freshFolder();
  const path = join(folder, "collect.lock");
  await writeFile(path, content);
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: "dataset_locked" });
  const past = Date.now() / 1000 - 601;
  await utimes(path, past, past);
  await (await lockFolder(folder)).release();
});

test("what processes that were killed while they took the lock left is removed by the next owner", async () => {
  const folder = await freshFolder();
  const [a, b, c, d, e] = ["", "left-", "", "left-", ""].map((left) => `collect.lock-${left}${randomUUID()}`);
  const put = async (name: string, content: string, seconds: number): Promise<void> => {
    await writeFile(join(folder, name), content);
    await utimes(join(folder, name), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
  };
  expect(await hasLeftLock(folder)).toBe(false);
  await put(a!, "", 60);
  await put(b!, JSON.stringify({ ...owner, pid: deadPid() }), 0);
  await put("collect.lock-of-mine", "", 60);
  expect(await hasLeftLock(folder)).toBe(true);
  // Those of processes that may live.
  await put(c!, "", 0);
  await put(d!, JSON.stringify({ ...owner, pid: process.pid }), 60);
  await put(e!, JSON.stringify({ ...owner, host: "elsewhere", pid: 1 }), 60);
  await (await lockFolder(folder)).release();
  expect((await readdir(folder)).sort()).toEqual([c, d, e, "collect.lock-of-mine"].sort());
  expect(await hasLeftLock(folder)).toBe(false);
});

test("releasing leaves the lock of a later owner alone", async () => {
  const folder = await freshFolder();
  const lock = await lockFolder(folder);
  const later = JSON.stringify({ ...owner, pid: process.pid });
  await writeFile(join(folder, "collect.lock"), later);
  await lock.release();
  expect(await readFile(join(folder, "collect.lock"), "utf8")).toBe(later);
});

function deadPid(): number {
  return spawnSync("true").pid;
}
