import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { collect } from "../../src/collect/collect.ts";
import { collectRollouts } from "../../src/collect/rollouts/collect-rollouts.ts";
import { collectedFields } from "../../src/collect/collected-fields.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { withShard } from "../../src/dataset/dataset-shard.ts";
import { checkExamples } from "../../src/examples/example.ts";
import { childProgram } from "../child-program.ts";
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

let program = "";
beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, "collect-child.ts"));
});

/** Starts a collecting child, sends it `signal` when it has begun this many captures and waited, and returns its captures. */
async function collectAndStop(
  folder: string,
  after: number,
  wait: number,
  signal: NodeJS.Signals,
  mode = "0",
) {
  const words = [program, folder, String(count), String(shardRows), mode];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
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

test("killed while it tries failed examples again, and puts their rows among the others: a whole dataset all the time", async () => {
  const undisturbed = await collect(new MemoryLens(), someExamples(count), {
    ...options,
    to: await freshFolder(),
  });
  const folder = await freshFolder();
  await collectAndStop(folder, Number.POSITIVE_INFINITY, 0, "SIGKILL", "15");
  const first = await openDataset(folder);
  expect(await first.failures()).toHaveLength(15);
  for (let kill = 0; kill < 5; kill++) {
    const copy = await freshFolder();
    await cp(folder, copy, { recursive: true });
    await collectAndStop(copy, kill * 3, 10 + Math.random() * 60, "SIGKILL");
    const there = await openDataset(copy);
    await there.validate();
    expect([first.manifest.contentHash, undisturbed.manifest.contentHash]).toContain(
      there.manifest.contentHash,
    );
    const dataset = await collect(new MemoryLens(), someExamples(count), { ...options, to: copy });
    expect(dataset.manifest.contentHash).toBe(undisturbed.manifest.contentHash);
    const files = dataset.manifest.shards.map(({ file }) => file);
    expect((await readdir(copy)).sort()).toEqual(["dataset.json", ...files].sort());
  }
});

test("rollouts killed in each stage: nothing is sampled or graded twice, but what was under way", async () => {
  const rollouts = async (lens: MemoryLens, to: string, grades: number[] = []) =>
    collectRollouts(lens, someExamples(count), {
      ...options,
      to,
      max_tokens: 4,
      grade: ({ generatedIds }) => {
        grades.push(1);
        return generatedIds.length;
      },
    });
  const undisturbed = await rollouts(new MemoryLens(), await freshFolder());
  for (const after of [20, 75, 150]) {
    const folder = await freshFolder();
    const { captures } = await collectAndStop(folder, after, 0, "SIGKILL", "rollouts");
    const lens = new MemoryLens();
    const grades: number[] = [];
    const dataset = await rollouts(lens, folder, grades);
    expect(dataset.manifest.contentHash, `after ${after}`).toBe(undisturbed.manifest.contentHash);
    const sampled = Math.min(captures.length, count);
    expect(lens.completions).toBeLessThanOrEqual(count - sampled + 3);
    const graded = Math.min(Math.max(captures.length - count, 0), count);
    expect(grades.length).toBeLessThanOrEqual(count - graded + 3);
  }
});
