import { mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { residua } from "./residua-process.ts";

let cache: string;
beforeAll(async () => void (cache = await mkdtemp(join(tmpdir(), "residua-backend-"))));
afterAll(() => rm(cache, { recursive: true, force: true }));

const backend = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  residua(["backend", ...words], { env: { RESIDUA_CACHE: cache, ...env } });

describe("residua backend install", () => {
  test("--dry-run says what would be fetched and run, with sizes, and does nothing", async () => {
    const { code, stdout } = await backend(["install", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain("tensorflow-cpu==2.15.1");
    expect(stdout).toContain("g++ -std=c++17");
    expect(stdout).toMatch(/to fetch 208 MB, on disk in the end 620 MB/);
    expect(await readdir(cache)).toEqual([]);
  });

  test("--dry-run --cuda --json adds NVIDIA's libraries", async () => {
    const { stdout } = await backend(["install", "--cuda", "--dry-run", "--json"]);
    const plan = JSON.parse(stdout) as {
      fetchBytes: number;
      steps: { command: string; bytes: number | null }[];
    };
    const libraries = plan.steps.filter(({ command }) => /nvidia-.*-cu12==/.test(command));
    expect(libraries).toHaveLength(12);
    expect(plan.fetchBytes).toBe(plan.steps.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0));
    expect(await readdir(cache)).toEqual([]);
  });

  test("--dry-run --from says what is wrong with the folder: exit 2", async () => {
    const { code, stdout, stderr } = await backend(["install", "--dry-run", "--from", "/nope"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("residua: /nope does not exist: give a folder that holds tensorflow-tfjs");
  });

  test("--variant is --cuda in the words of remove, and no other", async () => {
    const { stdout } = await backend(["install", "--variant", "cuda", "--dry-run", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ variant: "cuda" });
    const both = await backend(["install", "--variant", "cpu", "--cuda", "--dry-run"]);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("leave out one") as string });
  });

  test("names every tool that is missing, and what gives it", async () => {
    const { code, stderr } = await backend(["install"], {
      PYTHON: "no-python-here",
      CXX: "no-compiler-here",
    });
    expect(code).toBe(1);
    for (const words of [
      "python3 (not found)",
      "pip (not found)",
      "g++ (not found)",
      "apt-get install g++",
    ]) {
      expect(stderr).toContain(words);
    }
    expect(stderr).not.toContain("npm (");
  });

  test("--from a folder that lacks a file, or has another one, is refused by name: exit 2 and 1", async () => {
    const from = await mkdtemp(join(tmpdir(), "residua-from-"));
    const missing = await backend(["install", "--from", from]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(
      "put tensorflow-tfjs-node-gpu-4.22.0.tgz (@tensorflow/tfjs-node-gpu@4.22.0, by npm)",
    );
    // Sparse files of the right sizes.
    const { steps } = JSON.parse((await backend(["install", "--dry-run", "--json"])).stdout) as {
      steps: { what: string; bytes: number | null }[];
    };
    for (const { what, bytes } of steps) {
      if (bytes === null) continue;
      await writeFile(join(from, what), "");
      await truncate(join(from, what), bytes);
    }
    const wrong = await backend(["install", "--from", from]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("in place of afd5599ee1662e73");
    await rm(from, { recursive: true });
  });
});

test("list and remove, where nothing is installed", async () => {
  const env = { RESIDUA_CACHE: join(cache, "empty") };
  const listed = await backend(["list", "--json"], env);
  expect(JSON.parse(listed.stdout)).toEqual({ cache: env.RESIDUA_CACHE, installed: [], damaged: [] });
  expect((await backend(["list"], env)).stdout).toContain("residua backend install builds one");
  expect((await backend(["remove", "--json"], env)).stdout).toBe('{"removed":[]}\n');
});

test("serve --backend native without it says what to do: exit 2", async () => {
  const { code, stderr } = await residua(["serve", "--backend", "native"], { env: { RESIDUA_CACHE: cache } });
  expect(code).toBe(2);
  expect(stderr).toContain("the native backend cannot be used: @tensorflow/tfjs-node-gpu is not installed");
  expect(stderr).toContain("residua backend install");
});
