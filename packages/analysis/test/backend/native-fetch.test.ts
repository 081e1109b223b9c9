import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fetchCommand, fetchNativeFile } from "../../src/backend/native-fetch.ts";
import type { NativeFile } from "../../src/backend/native-recipe.ts";

const whole = Buffer.from("what the pinned file holds");
const file: NativeFile = {
  tool: "pip",
  requirement: "residua-no-such-package-of-tests==0.0.0",
  file: "some.whl",
  bytes: whole.length,
  sha256: createHash("sha256").update(whole).digest("hex"),
};

let folder: string;
let downloads: string;
let from: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-fetch-"));
  downloads = join(folder, "downloads");
  from = join(folder, "from");
  await mkdir(downloads);
  await mkdir(from);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const kept = () => readFile(join(downloads, file.file));

describe("fetchNativeFile", () => {
  test("takes a file from a folder once, and the next time what it has", async () => {
    await writeFile(join(from, file.file), whole);
    expect(await fetchNativeFile(file, { downloads, from })).toEqual({
      path: join(downloads, file.file),
      fetched: true,
    });
    await rm(from, { recursive: true });
    expect(await fetchNativeFile(file, { downloads, from })).toMatchObject({ fetched: false });
    expect(await kept()).toEqual(whole);
  });

  test.each([
    ["a part of it", whole.subarray(0, 9)],
    ["other bytes of its length", Buffer.alloc(whole.length, 7)],
  ])("a torn download is fetched again: %s", async (_, torn) => {
    await writeFile(join(downloads, file.file), torn);
    await writeFile(join(from, file.file), whole);
    expect(await fetchNativeFile(file, { downloads, from })).toMatchObject({ fetched: true });
    expect(await kept()).toEqual(whole);
  });

  test.each([
    ["shorter", whole.subarray(0, 9), "9 bytes in place of 26"],
    ["changed", Buffer.alloc(whole.length, 7), `in place of ${file.sha256}`],
  ])("a %s file is refused and does not stay", async (_, wrong, words) => {
    await writeFile(join(from, file.file), wrong);
    const run = fetchNativeFile(file, { downloads, from });
    await expect(run).rejects.toMatchObject({ code: "backend_checksum" });
    await expect(run).rejects.toThrow(words);
    expect(await readdir(downloads)).toEqual([]);
  });

  test("a file that the folder lacks is named, with what gives it", async () => {
    const run = fetchNativeFile(file, { downloads, from });
    await expect(run).rejects.toMatchObject({ code: "backend_file_missing" });
    await expect(run).rejects.toThrow(file.requirement);
  });

  test("what pip cannot give is an error that says what to do, and nothing stays", async () => {
    // pip refuses a version that is no version before it asks anybody.
    const run = fetchNativeFile({ ...file, requirement: "residua==not/a/version" }, { downloads });
    await expect(run).rejects.toMatchObject({ code: "backend_download_failed" });
    await expect(run).rejects.toThrow("--from DIR");
    expect(await readdir(downloads)).toEqual([]);
  });
});

test("the commands name the tool's package and where it goes, and no host", () => {
  expect(fetchCommand({ tool: "npm", requirement: "a@1.0.0" }, "to")).toEqual({
    tool: "npm",
    args: ["pack", "--silent", "--pack-destination", "to", "a@1.0.0"],
  });
  const { args } = fetchCommand(file, "to");
  expect(args).toContain("--no-deps");
  expect(args.slice(-3)).toEqual(["--dest", "to", file.requirement]);
  expect(args.join(" ")).not.toMatch(/index|http/);
});
