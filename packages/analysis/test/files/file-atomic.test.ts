import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeDrafts, writeFileAtomic } from "../../src/files/file-atomic.ts";
import { hashFile } from "../../src/files/file-hash.ts";
import { freshFolder } from "../collect/collect-helpers.ts";

test("writes chunks, replaces what was there, and tells size and checksum", async () => {
  const path = join(await freshFolder(), "a.bin");
  await writeFile(path, "old");
  const chunks = [Buffer.from("one "), Buffer.alloc(3 << 20, 7), Buffer.from("two")];
  const written = await writeFileAtomic(path, chunks);
  const whole = Buffer.concat(chunks);
  expect((await readFile(path)).equals(whole)).toBe(true);
  expect(written).toEqual({ bytes: whole.length, sha256: createHash("sha256").update(whole).digest("hex") });
  expect(await hashFile(path)).toBe(written.sha256);
});

test("an error while the chunks are made leaves the old file and nothing else", async () => {
  const folder = await freshFolder();
  await writeFile(join(folder, "a.bin"), "old");
  async function* broken() {
    yield Buffer.from("half");
    await Promise.resolve();
    throw new Error("source failed");
  }
  await expect(writeFileAtomic(join(folder, "a.bin"), broken())).rejects.toMatchObject({
    code: "write_failed",
  });
  expect(await readFile(join(folder, "a.bin"), "utf8")).toBe("old");
  expect(await readdir(folder)).toEqual(["a.bin"]);
});

test("a folder that is not there, or a folder in the file's place, is a DatasetError", async () => {
  const folder = await freshFolder();
  const chunk = [Buffer.from("x")];
  await expect(writeFileAtomic(join(folder, "no", "a"), chunk)).rejects.toMatchObject({
    code: "write_failed",
  });
  await mkdir(join(folder, "dir"));
  await expect(writeFileAtomic(join(folder, "dir"), chunk)).rejects.toMatchObject({ code: "not_writable" });
  expect(await readdir(folder)).toEqual(["dir"]);
});

test("drafts of a killed writer are removed, and only they", async () => {
  const folder = await freshFolder();
  for (const name of [".tmp-shard-00000.arrow-1", "mine.txt", ".hidden"])
    await writeFile(join(folder, name), "x");
  await removeDrafts(folder);
  expect((await readdir(folder)).sort()).toEqual([".hidden", "mine.txt"]);
});
