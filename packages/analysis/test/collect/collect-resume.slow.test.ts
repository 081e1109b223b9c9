import { ResiduaError } from "@residua/lens";
import { appendFile, copyFile, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { warnings } from "../warnings.ts";
import { collect } from "../../src/collect/collect.ts";
import { freshFolder } from "./collect-helpers.ts";
import { base, interrupted } from "./collect-interrupted.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

describe("resuming", () => {
  test("a damaged shard and those after it are captured again", async () => {
    const to = await freshFolder();
    await interrupted(to, 18);
    const warned = warnings();
    const path = join(to, "shard-00002.arrow");
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 4;
    await writeFile(path, bytes);
    const lens = new MemoryLens();
    const dataset = await collect(lens, someExamples(20), { ...base, to });
    expect(lens.captures).toBe(12);
    expect(warned()).toEqual([expect.stringMatching(/shard-00002\.arrow: SHA-256 .* captured again/)]);
    const undisturbed = await collect(new MemoryLens(), someExamples(20), {
      ...base,
      to: await freshFolder(),
    });
    expect(dataset.manifest).toEqual(undisturbed.manifest);
  });

  test("with a journal cut at any byte: all or part is kept, never another result", async () => {
    const to = await freshFolder();
    await interrupted(to, 10);
    const undisturbed = await collect(new MemoryLens(), someExamples(20), {
      ...base,
      to: await freshFolder(),
    });
    const journal = await readFile(join(to, "collect.jsonl"));
    const plan = journal.indexOf("\n") + 1;
    for (let length = plan; length < journal.length; length += 23) {
      const copy = await freshFolder();
      for (const name of await readdir(to)) await copyFile(join(to, name), join(copy, name));
      await truncate(join(copy, "collect.jsonl"), length);
      const dataset = await collect(new MemoryLens(), someExamples(20), { ...base, to: copy });
      expect(dataset.manifest).toEqual(undisturbed.manifest);
    }
    await truncate(join(to, "collect.jsonl"), plan - 1);
    const run = collect(new MemoryLens(), someExamples(20), { ...base, to });
    await expect(run).rejects.toMatchObject({ code: "manifest_invalid" });
  });

  test("a shard that was renamed but not yet journaled counts; rubbish in the shard in hand does not", async () => {
    const to = await freshFolder();
    await interrupted(to, 10);
    const lines = (await readFile(join(to, "collect.jsonl"), "utf8")).trimEnd().split("\n");
    expect(lines.at(-2)).toContain('"kind":"shard"');
    await writeFile(join(to, "collect.jsonl"), `${lines.toSpliced(-2, 1).join("\n")}\n`);
    await appendFile(join(to, "in-hand.arrow"), "x");
    const warned = warnings();
    const lens = new MemoryLens();
    await collect(lens, someExamples(20), { ...base, to });
    expect(lens.captures).toBe(12);
    expect(warned()).toEqual([expect.stringContaining("in-hand.arrow")]);
  });

  test("keeps the first run's shard size, so that the files come out the same", async () => {
    const to = await freshFolder();
    await interrupted(to, 10);
    const dataset = await collect(new MemoryLens(), someExamples(20), { ...base, shardRows: 7, to });
    expect(dataset.manifest.shards.map(({ rows }) => rows)).toEqual([4, 4, 4, 4, 4]);
  });

  test("rows in hand of several positions come back to their examples", async () => {
    const to = await freshFolder();
    const options = { select: "all", shardRows: 1000, max_tokens: 3 } as const;
    await interrupted(to, 7, options);
    const lens = new MemoryLens();
    const dataset = await collect(lens, someExamples(20), { ...base, ...options, to });
    expect(lens.captures).toBe(13);
    const undisturbed = await collect(new MemoryLens(), someExamples(20), {
      ...base,
      ...options,
      to: await freshFolder(),
    });
    expect(dataset.manifest).toEqual(undisturbed.manifest);
  });

  describe("rows in hand of which a bit is another", () => {
    test.each([0.2, 0.5, 0.8])("at %f of the file are captured again, and that is told", async (share) => {
      const to = await freshFolder();
      await interrupted(to, 10);
      const path = join(to, "in-hand.arrow");
      const bytes = await readFile(path);
      bytes[Math.floor(bytes.length * share)]! ^= 4;
      await writeFile(path, bytes);
      const warned = warnings();
      const lens = new MemoryLens();
      const dataset = await collect(lens, someExamples(20), { ...base, to });
      expect(lens.captures).toBe(12);
      expect(dataset.manifest).toEqual((await undisturbed()).manifest);
      expect(warned()).toEqual([expect.stringMatching(/in-hand\.arrow: SHA-256 .* captured again/)]);
    });

    test("nor are they taken when their line of the journal is lost", async () => {
      const to = await freshFolder();
      await interrupted(to, 10);
      const path = join(to, "collect.jsonl");
      const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
      expect(lines.at(-1)).toContain('"kind":"in-hand"');
      await writeFile(path, `${lines.slice(0, -1).join("\n")}\n`);
      const lens = new MemoryLens();
      const dataset = await collect(lens, someExamples(20), { ...base, to });
      expect(lens.captures).toBe(12);
      expect(dataset.manifest).toEqual((await undisturbed()).manifest);
    });

    test("and kept whole over another stop before anything came to them", async () => {
      const to = await freshFolder();
      await interrupted(to, 10);
      const run = collect(new MemoryLens(), someExamples(20), { ...base, to, onPlan: () => halt() });
      await expect(run).rejects.toThrow("halt");
      const lens = new MemoryLens();
      await collect(lens, someExamples(20), { ...base, to });
      expect(lens.captures).toBe(10);
    });
  });

  test("a journal that lost a failure is told as such", async () => {
    const to = await freshFolder();
    const stop = new AbortController();
    let seen = 0;
    const lens = new MemoryLens({
      onCapture() {
        if (seen === 10) stop.abort();
        if (seen++ === 3) throw new ResiduaError("http_500", "lost");
      },
    });
    const options = { ...base, to, concurrency: 1, signal: stop.signal };
    await expect(collect(lens, someExamples(20), options)).rejects.toMatchObject({ name: "AbortError" });
    const path = join(to, "collect.jsonl");
    const lines = (await readFile(path, "utf8")).split("\n");
    const kept = lines.filter((line) => !line.includes('"kind":"failure"'));
    expect(kept).toHaveLength(lines.length - 1);
    await writeFile(path, kept.join("\n"));
    const run = collect(new MemoryLens(), someExamples(20), { ...base, to });
    await expect(run).rejects.toMatchObject({
      code: "dataset_differs",
      found: expect.stringMatching(
        /rows of example "e4" where those of "e3" are due, of which collect\.jsonl has no failure/,
      ) as string,
    });
    await expect(run).rejects.not.toThrow(/template/);
  });

  describe("a lock that stands in a finished dataset", () => {
    const owner = { pid: 2 ** 22 + 1, host: hostname(), started: "1", since: "", token: "t" };
    const finished = async (of: object): Promise<string> => {
      const to = await freshFolder();
      await collect(new MemoryLens(), someExamples(4), { ...base, to });
      await writeFile(join(to, "collect.lock"), JSON.stringify({ ...owner, ...of }));
      return to;
    };

    test("of a process that is gone is removed by the next call, which captures nothing", async () => {
      const to = await finished({});
      const lens = new MemoryLens();
      await collect(lens, someExamples(4), { ...base, to });
      expect(lens.captures).toBe(0);
      expect(await readdir(to)).not.toContain("collect.lock");
    });

    test("of one that lives stays, and the dataset is opened", async () => {
      const to = await finished({ pid: process.pid, started: null });
      expect((await collect(new MemoryLens(), someExamples(4), { ...base, to })).rows).toBe(4);
      expect(await readdir(to)).toContain("collect.lock");
    });
  });
});

const undisturbed = async () =>
  collect(new MemoryLens(), someExamples(20), { ...base, to: await freshFolder() });

function halt(): never {
  throw new Error("halt");
}
