import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { collect } from "../../src/collect/collect.ts";
import { collectedFields } from "../../src/collect/collected-fields.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { withShard } from "../../src/dataset/dataset-shard.ts";
import { checkExamples } from "../../src/examples/example.ts";
import { freshFolder, leftovers } from "./collect-helpers.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

const count = 60;
const shardRows = 12;
const options = { layers: "all", select: { last: 3 }, shardRows } as const;
const columns = {
  fields: collectedFields(checkExamples(someExamples(1))),
  layers: [0, 1, 2, 3],
  hiddenSize: 8,
  dtype: "bfloat16",
} as const;

/** Starts a collecting child, sends it `signal` when it has begun this many captures and waited, and returns its captures. */
async function collectAndStop(folder: string, after: number, wait: number, signal: NodeJS.Signals) {
  const child = spawn(
    process.execPath,
    [
      "--import",
      "tsx",
      "--conditions=@residua/source",
      join(import.meta.dirname, "collect-child.ts"),
      folder,
      String(count),
      String(shardRows),
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  let complaint = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  while (output.split("\n").length <= after && child.exitCode === null) await sleep(1);
  await sleep(wait);
  child.kill(signal);
  const [code] = await ended;
  return { code, captures: output.trim().split("\n").filter(Boolean), complaint };
}

async function wholeShards(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => /^shard-\d{5}\.arrow$/.test(name)).sort();
  for (const name of names) {
    await withShard(join(folder, name), columns, (_, layout) => {
      expect(layout.rows).toBe(shardRows);
      return Promise.resolve();
    });
  }
  return names.length;
}

test("killed at any moment, resumed: no half file under a final name, nothing asked twice, the same dataset", async () => {
  const undisturbed = await collect(new MemoryLens(), someExamples(count), {
    ...options,
    to: await freshFolder(),
  });
  const stops = Array.from(
    { length: 8 },
    () => [Math.floor(Math.random() * count), Math.random() * 12] as const,
  );
  await Promise.all(
    [stops.slice(0, 4), stops.slice(4)].map(async (half) => {
      for (const [after, wait] of half) {
        const folder = await freshFolder();
        await collectAndStop(folder, after, wait, "SIGKILL");
        const shards = await wholeShards(folder);
        const lens = new MemoryLens();
        const dataset = await collect(lens, someExamples(count), { ...options, to: folder });
        const where = `after ${after} captures and ${wait} ms`;
        expect(dataset.manifest.contentHash, where).toBe(undisturbed.manifest.contentHash);
        expect(lens.captures, where).toBe(count - shards * (shardRows / 3));
        expect(await leftovers(folder), where).toEqual([]);
      }
    }),
  );
});

test("killed again and again, it still gets there", async () => {
  const folder = await freshFolder();
  const undisturbed = await collect(new MemoryLens(), someExamples(count), {
    ...options,
    to: await freshFolder(),
  });
  for (let kill = 0; kill < 4; kill++) await collectAndStop(folder, 13, Math.random() * 5, "SIGKILL");
  const dataset = await collect(new MemoryLens(), someExamples(count), { ...options, to: folder });
  expect(dataset.manifest).toEqual(undisturbed.manifest);
});

test("stopped by its signal, it keeps the rows in hand and asks for none of them again", async () => {
  const folder = await freshFolder();
  const { code, captures, complaint } = await collectAndStop(folder, 18, 0, "SIGTERM");
  expect({ code, complaint }).toEqual({ code: 143, complaint: "stopped\n" });
  await expect(openDataset(folder)).rejects.toMatchObject({ code: "dataset_incomplete" });
  const lens = new MemoryLens();
  const dataset = await collect(lens, someExamples(count), { ...options, to: folder });
  const undisturbed = await collect(new MemoryLens(), someExamples(count), {
    ...options,
    to: await freshFolder(),
  });
  expect(dataset.manifest).toEqual(undisturbed.manifest);
  // At most the captures in flight, and those that had overtaken one of them, were for nothing.
  expect(lens.captures).toBeGreaterThanOrEqual(count - captures.length);
  expect(lens.captures).toBeLessThanOrEqual(count - captures.length + 12);
  expect(await leftovers(folder)).toEqual([]);
});
