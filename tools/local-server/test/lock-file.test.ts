import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "../src/index.ts";
import { lockFile } from "../src/lock-file.ts";
import { start } from "./support.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-lock-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("is this process's until it is given back, and taken over from a process that is gone", async () => {
  const file = join(folder, "one.lock");
  const unlock = lockFile(file);
  expect(await readFile(file, "utf8")).toBe(String(process.pid));
  expect(() => lockFile(file)).toThrow(`process ${process.pid} uses it`);
  unlock();
  const gone = spawnSync(process.execPath, ["-e", ""]).pid;
  await writeFile(file, String(gone));
  lockFile(file)();
  // An earlier process had this one's number: the first of a container always has the same.
  await writeFile(file, String(process.pid));
  lockFile(file)();
  expect(await readdir(folder)).toEqual([]);
});

test("of two servers one has the ledger and the jobs; the next has them after it", async () => {
  const own = { ledger: join(folder, "ledger.jsonl"), jobs: join(folder, "jobs") };
  const first = await start(own);
  const options = { model: first.model };
  for (const [one, code, name] of [
    [{ ledger: own.ledger }, "ledger_invalid", "ledger"],
    [{ jobs: own.jobs }, "jobs_folder_invalid", "jobs"],
  ] as const) {
    const starting = startServer({ ...options, ...one });
    await expect(starting).rejects.toMatchObject({ code });
    await expect(starting).rejects.toThrow(
      `${name}: process ${process.pid} uses it, and one server at a time`,
    );
  }
  await first.server.close();
  await expect(startServer({ model: "/nowhere", ...own })).rejects.toThrow();
  const second = await startServer({ ...options, ...own });
  await second.close();
  expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".lock"))).toEqual([]);
  await first.close();
});
