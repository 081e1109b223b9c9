import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startResidua } from "./residua-process.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "residua-interrupt-"))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** The servers that a command started and that run: other tests have servers of their own. */
function serversOf(parent: number): number[] {
  try {
    const out = execFileSync("pgrep", ["-P", String(parent), "-f", "residua.js serve"], { encoding: "utf8" });
    return out.trim().split("\n").map(Number);
  } catch {
    return [];
  }
}

const runs = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** All files below a folder. */
const files = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const until = async (holds: () => boolean, seconds: number) => {
  for (let waited = 0; !holds(); waited += 0.05) {
    if (waited > seconds) throw new Error(`waited ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

test.each(["start the server", "captured 80/", "probe every layer", "steer at layer"])(
  "Ctrl-C at %j ends with 130 and leaves no process and no half-written file",
  { timeout: 120_000 },
  async (moment) => {
    const run = startResidua(["first-run"], { cwd });
    await until(() => run.stderr().includes(moment), 90);
    await until(() => serversOf(run.child.pid!).length > 0, 10);
    const servers = serversOf(run.child.pid!);
    run.child.kill("SIGINT");
    const { code, stdout, stderr } = await run.finished;
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).not.toMatch(/\n\s+at /);
    await until(() => !servers.some(runs), 10);
    expect(
      files(cwd).filter((name) => ["result.json", "report.html"].includes(name) || name.endsWith(".tmp")),
    ).toEqual([]);
  },
);

test("a run that was stopped goes on where it was", { timeout: 240_000 }, async () => {
  const run = startResidua(["first-run", "--cities", "100"], { cwd });
  await until(() => run.stderr().includes("captured 80/"), 90);
  run.child.kill("SIGINT");
  expect((await run.finished).code).toBe(130);
  const again = await startResidua(["first-run", "--cities", "100"], { cwd }).finished;
  expect(again.code).toBe(0);
  expect(again.stderr).not.toContain("captured 0/");
  expect(readdirSync(join(cwd, "runs"))).toEqual(["first-run"]);
});

test("a server whose parent is killed outright ends too", { timeout: 60_000 }, async () => {
  const run = startResidua(["first-run"], { cwd });
  await until(() => run.stderr().includes("captured"), 60);
  const servers = serversOf(run.child.pid!);
  expect(servers).toHaveLength(1);
  run.child.kill("SIGKILL");
  await until(() => !servers.some(runs), 10);
});
