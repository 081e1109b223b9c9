import fc from "fast-check";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DatasetError } from "../../src/dataset/dataset-error.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "./memory-source.ts";

const source = memorySource({ rows: 23, dtype: "bfloat16" });
const options = { how: "test", from: [], shardRows: 5 };

type Files = [name: string, bytes: Buffer][];

async function filesOf(folder: string): Promise<Files> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name))] as [string, Buffer]),
  );
}

/** What the folder holds before each block of rows is taken, while shards are written, and at the end. */
async function stages(): Promise<{ stages: Files[]; whole: Files }> {
  const folder = await freshFolder();
  const stages: Files[] = [];
  const blocks = async function* (request?: { rows?: number }) {
    for await (const block of source.blocks(request)) {
      stages.push(await filesOf(folder).catch(() => []));
      yield block;
    }
  };
  await writeDataset(folder, { ...source, blocks }, { ...options, onProgress: () => undefined });
  const whole = await filesOf(folder);
  // As if killed between the manifest's rename and the removal of mark and lock.
  const marks = stages.flatMap((files) => files.filter(([name]) => /^(writing|collect)\./.test(name)));
  stages.push([...whole, ...new Map(marks)], whole);
  return { stages, whole };
}

async function folderOf(files: Files): Promise<string> {
  const folder = await freshFolder();
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
  return folder;
}

test("killed at any stage and cut at any byte: whole rows, or refused; then written anew", async () => {
  const all = await stages();
  expect(all.stages.flat().map(([name]) => name)).toEqual(
    expect.arrayContaining(["collect.lock", "writing.json", "dataset.json", "shard-00002.arrow"]),
  );
  const expected = await source.layerBits(2);
  let refused = 0;
  const damage = fc.record({
    stage: fc.nat(all.stages.length - 1),
    file: fc.nat(),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ stage, file, share }) => {
      const files = all.stages[stage]!.slice();
      if (files.length > 0) {
        const at = file % files.length;
        const [name, bytes] = files[at]!;
        files[at] = [name, bytes.subarray(0, Math.floor(share * bytes.length))];
      }
      const folder = await folderOf(files);
      try {
        const dataset = await openDataset(folder);
        expect(await dataset.layerBits(2)).toEqual(expected);
      } catch (error) {
        expect(error).toBeInstanceOf(DatasetError);
        refused++;
      }
    }),
    { numRuns: 150 },
  );
  expect(refused).toBeGreaterThan(50);
});

test("what a killed run left is taken away by the next one, which makes the same files", async () => {
  const { stages: found, whole } = await stages();
  for (const files of found.slice(0, -2)) {
    const killed = files.filter(([name]) => name !== "collect.lock");
    const folder = await folderOf(killed);
    if (killed.length > 0)
      await expect(openDataset(folder)).rejects.toMatchObject({ code: "dataset_incomplete" });
    await writeDataset(folder, source, options);
    expect(await filesOf(folder)).toEqual(whole);
  }
});

test("shards of which nothing says where they are from are left alone", async () => {
  const { whole } = await stages();
  const shards = whole.filter(([name]) => name !== "dataset.json");
  const folder = await folderOf(shards);
  await expect(writeDataset(folder, source, options)).rejects.toMatchObject({ code: "dataset_differs" });
  expect(await filesOf(folder)).toEqual(shards);
});

test("a second writer is refused, told who writes and since when; the first one ends undisturbed", async () => {
  const folder = await freshFolder();
  let refused: unknown;
  const blocks = async function* (request?: { rows?: number }) {
    for await (const block of source.blocks(request)) {
      refused ??= await writeDataset(folder, source, options).catch((error: unknown) => error);
      yield block;
    }
  };
  const dataset = await writeDataset(folder, { ...source, blocks }, options);
  expect(refused).toMatchObject({ code: "dataset_locked" });
  expect((refused as Error).message).toMatch(
    new RegExp(`process ${process.pid} on .*, since 20.*last sign of life \\d+ s ago`),
  );
  expect(await dataset.layerBits(2)).toEqual(await source.layerBits(2));
});

test("a run that is aborted, or whose source fails, leaves nothing", async () => {
  const folder = await freshFolder();
  const abort = new AbortController();
  const blocks = async function* (request?: { rows?: number }) {
    for await (const block of source.blocks(request)) {
      yield block;
      abort.abort(new Error("enough"));
    }
  };
  const run = writeDataset(folder, { ...source, blocks }, { ...options, signal: abort.signal });
  await expect(run).rejects.toThrow("enough");
  expect(await readdir(folder)).toEqual([]);
});
