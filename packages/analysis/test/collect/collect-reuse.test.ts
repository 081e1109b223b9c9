import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { warnings } from "../warnings.ts";
import { collect } from "../../src/collect/collect.ts";
import type { CollectOptions, CollectProgress } from "../../src/index.ts";
import type { Example } from "../../src/examples/example.ts";
import { freshFolder } from "./collect-helpers.ts";
import { base, interrupted } from "./collect-interrupted.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

const run = async (lens: MemoryLens, examples: Example[], options: Partial<CollectOptions> = {}) =>
  collect(lens, examples, { ...base, ...options, to: options.to ?? (await freshFolder()) });

describe("reuse", () => {
  test("examples added, removed, reordered and relabelled: only new prompts are captured, the rest is copied bit by bit", async () => {
    const old = await run(new MemoryLens(), someExamples(20), { select: "all" });
    const examples = [...someExamples(26).slice(3).reverse()].map((example) => ({
      ...example,
      id: `new ${example.id}`,
      group: "g",
      labels: { other: 1 },
    }));
    const lens = new MemoryLens();
    const reports: CollectProgress[] = [];
    const onProgress = (report: CollectProgress) => void reports.push(report);
    const dataset = await run(lens, examples, { select: "all", reuse: [old.folder], onProgress });
    expect(lens.captures).toBe(6);
    expect(reports.at(-1)).toMatchObject({ done: 23, reused: 17 });
    const fresh = await run(new MemoryLens(), examples, { select: "all" });
    expect(dataset.manifest).toEqual(fresh.manifest);
  });

  test("of a folder with a damaged shard: its rows are captured again, and that is told once", async () => {
    const old = await run(new MemoryLens(), someExamples(20));
    const path = join(old.folder, "shard-00001.arrow");
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 4;
    await writeFile(path, bytes);
    const warned = warnings();
    for (let i = 0; i < 2; i++) {
      const lens = new MemoryLens();
      await run(lens, someExamples(20), { reuse: [old.folder] });
      expect(lens.captures).toBe(4);
    }
    expect(warned()).toEqual([
      expect.stringMatching(/^\S+: 1 of 5 shards cannot be reused, .*shard-00001\.arrow: SHA-256 .*again\.$/),
    ]);
    expect(warned()[0]).toContain(old.folder);
  });

  test("from a collection that has not ended", async () => {
    const from = await freshFolder();
    await interrupted(from, 10);
    const lens = new MemoryLens();
    const dataset = await run(lens, someExamples(24), { reuse: [from] });
    // Two shards of four examples are finished.
    expect(lens.captures).toBe(16);
    const fresh = await run(new MemoryLens(), someExamples(24));
    expect(dataset.manifest.contentHash).toBe(fresh.manifest.contentHash);
  });

  test.each<[string, Partial<CollectOptions>]>([
    ["layers", { layers: [1] }],
    ["selection", { select: "first" }],
    ["max_tokens", { max_tokens: 2 }],
    ["model", { model: "other" }],
  ])("never of other %s", async (_, change) => {
    const old = await run(new MemoryLens(), someExamples(8));
    const lens = new MemoryLens();
    await run(lens, someExamples(8), { reuse: [old.folder], ...change });
    expect(lens.captures).toBe(8);
  });

  test("never of a server with another fingerprint, nor goes a run on at one", async () => {
    const at = (hash: string): MemoryLens =>
      Object.assign(new MemoryLens(), {
        fingerprint: () => ({ format: "residua-server-fingerprint", hash: hash.repeat(64) }) as never,
      });
    const old = await run(at("a"), someExamples(8));
    const [same, other] = [at("a"), at("b")];
    await run(same, someExamples(9), { reuse: [old.folder] });
    await run(other, someExamples(9), { reuse: [old.folder] });
    expect([same.captures, other.captures]).toEqual([1, 9]);
    await expect(run(at("b"), someExamples(8), { to: old.folder })).rejects.toThrow(/server "aaa.*reuse/s);
  });

  test("never rows of two checkpoints in one dataset", async () => {
    const old = await run(new MemoryLens(), someExamples(8));
    const lens = new MemoryLens({ checkpoint: "memory/two" });
    await expect(run(lens, someExamples(12), { reuse: [old.folder] })).rejects.toMatchObject({
      code: "capture_differs",
    });
  });

  test("a damaged shard is captured again", async () => {
    const old = await run(new MemoryLens(), someExamples(12));
    const path = join(old.folder, "shard-00001.arrow");
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(path, bytes);
    const lens = new MemoryLens();
    const dataset = await run(lens, someExamples(12), { reuse: [old.folder] });
    expect(lens.captures).toBe(4);
    expect(dataset.manifest.contentHash).toBe(old.manifest.contentHash);
  });

  test("of a folder without a dataset is refused", async () => {
    const reuse = [await freshFolder()];
    await expect(run(new MemoryLens(), someExamples(2), { reuse })).rejects.toMatchObject({
      code: "not_a_dataset",
    });
  });

  test("of a derived dataset is refused: its examples may lack rows or layers, under the same content hash", async () => {
    const old = await run(new MemoryLens(), someExamples(6), { select: "all" });
    const fewer = await old
      .filter(["position"], ({ position }) => Number(position) >= 2)
      .write(join(await freshFolder(), "fewer"));
    const { columns } = old;
    const narrow = await old.select({ columns, layers: [1] }).write(join(await freshFolder(), "narrow"));
    for (const { folder } of [fewer, narrow]) {
      const lens = new MemoryLens();
      const again = run(lens, someExamples(6), { select: "all", reuse: [folder] });
      await expect(again).rejects.toThrow(
        /made by (filter|select).*reuse the folders that it was made from/s,
      );
      expect(lens.captures).toBe(0);
    }
  });
});
