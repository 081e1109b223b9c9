import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installNative } from "../../src/backend/native-install.ts";
import { damagedNatives, nativeFolder } from "../../src/backend/native-place.ts";
import { nativeFiles } from "../../src/backend/native-recipe.ts";

let scratch: string;
beforeEach(async () => void (scratch = await mkdtemp(join(tmpdir(), "residua-install-"))));
afterEach(() => rm(scratch, { recursive: true, force: true }));

/** Files of the right sizes and of nothing but zeros, which take no room. */
async function emptyFiles(): Promise<string> {
  const from = join(scratch, "from");
  await mkdir(from);
  for (const { file, bytes } of nativeFiles("cpu")) {
    const handle = await open(join(from, file), "w");
    await handle.truncate(bytes);
    await handle.close();
  }
  return from;
}

test("what stands in the place and cannot be loaded is removed, not in the way of the new one for ever", async () => {
  const cache = join(scratch, "cache");
  const folder = nativeFolder("cpu", cache);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "native.json"), "{");
  expect(damagedNatives(cache)).toHaveLength(1);
  const steps: string[] = [];
  const from = await emptyFiles();
  // The checksums of the files are looked at after that.
  await expect(installNative({ cache, from, onStep: (step) => steps.push(step) })).rejects.toMatchObject({
    code: "backend_checksum",
  });
  expect(steps[0]).toBe("removing what is there: its native.json is missing or damaged");
  expect(damagedNatives(cache)).toEqual([]);
});

test("a cache folder that cannot be written is named, with what to set", async () => {
  await writeFile(join(scratch, "file"), "");
  const installing = installNative({ cache: join(scratch, "file", "cache"), from: await emptyFiles() });
  await expect(installing).rejects.toMatchObject({
    code: "backend_not_writable",
    message: expect.stringContaining("set RESIDUA_CACHE to a folder that can") as string,
  });
});
