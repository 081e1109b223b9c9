import { APIError, ResiduaError } from "@residua/lens";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { abortedAfter } from "../aborted-after.ts";
import { warnings } from "../warnings.ts";
import { openFiles } from "../dataset/open-files.ts";
import { collect } from "../../src/collect/collect.ts";
import type { CollectOptions } from "../../src/collect/collect-options.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { freshFolder, leftovers } from "./collect-helpers.ts";
import { base } from "./collect-interrupted.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

/** A lens that fails the examples of these places. */
function failing(
  indices: readonly number[],
  error = () => new ResiduaError("no_row", "not this one"),
): MemoryLens {
  const prompts = indices.map((i) => JSON.stringify(someExamples(60)[i]?.prompt));
  return new MemoryLens({
    onCapture: ({ prompt }) => {
      if (prompts.includes(JSON.stringify(prompt))) throw error();
    },
  });
}

const run = async (lens: MemoryLens, count: number, options: Partial<CollectOptions> = {}) =>
  collect(lens, someExamples(count), { ...base, to: options.to ?? (await freshFolder()), ...options });

describe("an example that fails", () => {
  test("is recorded with its error, never dropped, and the run goes on", async () => {
    const dataset = await run(failing([2, 11]), 20);
    expect(await dataset.column("example")).toEqual(
      someExamples(20).flatMap(({ id }, i) => (i === 2 || i === 11 ? [] : [id])),
    );
    const failures = await dataset.failures();
    expect(failures).toMatchObject([
      { example: "e2", index: 2, stage: "capture", name: "ResiduaError", code: "no_row", attempts: 1 },
      { example: "e11", index: 11, message: "not this one" },
    ]);
    expect(failures[0]?.contentHash).toMatch(/^[0-9a-f]{32}$/);
    expect(Date.parse(failures[0]?.time ?? "")).toBeLessThanOrEqual(Date.now());
    expect(dataset.manifest.failures).toMatchObject({ file: "failures.arrow", rows: 2 });
    expect(await leftovers(dataset.folder)).toEqual(["failures.arrow"]);
  });

  test("is tried again by the next call, alone, and its rows come where they belong", async () => {
    const to = await freshFolder();
    await run(failing([2, 11, 12]), 20, { to });
    // As a call that was killed while it wrote a shard leaves it.
    await writeFile(join(to, ".tmp-shard-00000.r1.arrow-0"), "half");
    const lens = failing([11]);
    const dataset = await run(lens, 20, { to });
    expect(lens.captures).toBe(3);
    expect(await dataset.column("example")).toEqual(
      someExamples(20).flatMap(({ id }, i) => (i === 11 ? [] : [id])),
    );
    expect(await dataset.failures()).toMatchObject([{ example: "e11", attempts: 2 }]);
    const last = await run(new MemoryLens(), 20, { to });
    const undisturbed = await run(new MemoryLens(), 20);
    expect(last.manifest.contentHash).toBe(undisturbed.manifest.contentHash);
    expect(last.manifest.failures).toBeUndefined();
    const files = last.manifest.shards.map(({ file }) => file);
    expect((await readdir(to)).sort()).toEqual(["dataset.json", ...files].sort());
    await last.validate();
  });

  test("that fails again leaves the dataset as it was, with one more attempt", async () => {
    const to = await freshFolder();
    const first = await run(failing([7]), 20, { to });
    const second = await run(failing([7]), 20, { to });
    expect(second.manifest.contentHash).toBe(first.manifest.contentHash);
    expect(second.manifest.shards).toEqual(first.manifest.shards);
    expect(await second.failures()).toMatchObject([{ example: "e7", attempts: 2 }]);
    expect((await readdir(to)).filter((name) => name.startsWith("failures"))).toHaveLength(1);
  });

  test("in a retry that was aborted is tried again by the next call", async () => {
    const to = await freshFolder();
    await run(failing([5, 9]), 20, { to });
    const stop = new AbortController();
    let asked = 0;
    const lens = new MemoryLens({
      onCapture() {
        if (asked++ === 0) throw new ResiduaError("no_row", "not yet");
        stop.abort();
        throw new DOMException("stopped", "AbortError");
      },
    });
    const aborted = run(lens, 20, { to, concurrency: 1, signal: stop.signal });
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
    const still = await run(failing([5]), 20, { to });
    expect(await still.failures()).toMatchObject([{ example: "e5", attempts: 3 }]);
    const healthy = new MemoryLens();
    const dataset = await run(healthy, 20, { to });
    expect(healthy.captures).toBe(1);
    expect(dataset.manifest.contentHash).toBe((await run(new MemoryLens(), 20)).manifest.contentHash);
  });

  test("like twenty others in a retry stops it, which is told; the next call tries all that is left", async () => {
    const to = await freshFolder();
    const bad = Array.from({ length: 30 }, (_, i) => 10 + i);
    await run(failing(bad), 60, { to, maxFailures: 60 });
    const warned = warnings();
    const stopped = failing(bad.slice(0, 25));
    const dataset = await run(stopped, 60, { to, concurrency: 1 });
    expect(stopped.captures).toBe(20);
    expect(dataset.manifest.failures?.rows).toBe(30);
    expect(warned()).toEqual([
      expect.stringMatching(/20 examples failed one after the other; the last, .*"e29"/),
    ]);
    const lens = new MemoryLens();
    const all = await run(lens, 60, { to });
    expect(lens.captures).toBe(30);
    expect(all.manifest.contentHash).toBe((await run(new MemoryLens(), 60)).manifest.contentHash);
  });

  test.runIf(process.platform === "linux")(
    "and is aborted while it is put among the others leaves no file open",
    async () => {
      const to = await freshFolder();
      await run(failing([2]), 40, { to });
      // Each example that is put in its place asks once.
      const signal = abortedAfter(12);
      await expect(run(new MemoryLens(), 40, { to, signal })).rejects.toMatchObject({ name: "AbortError" });
      expect(await readdir(to)).toContain("collect.jsonl");
      expect(await openFiles([to])).toEqual([]);
      await run(new MemoryLens(), 40, { to });
      expect(await openFiles([to])).toEqual([]);
    },
  );

  test("is left alone with retryFailed: false", async () => {
    const to = await freshFolder();
    const first = await run(failing([7]), 20, { to });
    const lens = new MemoryLens();
    const second = await run(lens, 20, { to, retryFailed: false });
    expect(lens.captures).toBe(0);
    expect(second.manifest).toEqual(first.manifest);
  });

  test("with nothing else: no dataset, its error, and all are tried again", async () => {
    const to = await freshFolder();
    await expect(run(failing([0, 1, 2]), 3, { to })).rejects.toMatchObject({
      code: "no_rows",
      message: expect.stringContaining('example "e0", by ResiduaError: not this one') as string,
    });
    const lens = new MemoryLens();
    expect((await run(lens, 3, { to })).rows).toBe(3);
    expect(lens.captures).toBe(3);
  });

  test("a damaged failures file is found", async () => {
    const dataset = await run(failing([1]), 4);
    const path = join(dataset.folder, "failures.arrow");
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(path, bytes);
    await expect(dataset.failures()).rejects.toMatchObject({ code: "shard_checksum" });
    await expect(openDataset(dataset.folder)).rejects.toMatchObject({ code: "shard_checksum" });
  });
});

describe("failures that end the run", () => {
  const apiError = (status: number, code: string): APIError =>
    new APIError({
      status,
      code,
      message: "no",
      type: undefined,
      param: undefined,
      requestID: undefined,
      retryable: false,
      retryAfter: undefined,
      body: "",
      attempts: 1,
    });

  test.each([
    [401, "unauthorized"],
    [403, "budget_exceeded"],
    [429, "insufficient_quota"],
  ])("%i %s: every later request would be refused too", async (status, code) => {
    const to = await freshFolder();
    const lens = failing([5], () => apiError(status, code));
    await expect(run(lens, 20, { to, concurrency: 1 })).rejects.toMatchObject({ code });
    expect(lens.captures).toBe(6);
    const rest = new MemoryLens();
    expect((await run(rest, 20, { to })).manifest.failures).toBeUndefined();
    expect(rest.captures).toBe(15);
  });

  const all = Array.from({ length: 60 }, (_, i) => i);
  test("twenty one after the other: a dead server makes no thousand failures", async () => {
    const to = await freshFolder();
    const dead = failing(all.slice(10));
    await expect(run(dead, 60, { to, concurrency: 4 })).rejects.toMatchObject({ code: "too_many_failures" });
    // Ten went well; four times the concurrency may have been under way.
    expect(dead.captures).toBeLessThanOrEqual(10 + 20 + 4 * 4);
    const dataset = await run(new MemoryLens(), 60, { to });
    const undisturbed = await run(new MemoryLens(), 60);
    expect(dataset.manifest.contentHash).toBe(undisturbed.manifest.contentHash);
    expect(dataset.manifest.failures).toBeUndefined();
  });

  test("more than half of forty", async () => {
    const lens = failing(all.filter((i) => i % 5 > 1));
    await expect(run(lens, 60)).rejects.toThrow(/24 of 40 examples failed; the last, example "e39"/);
  });

  test("more than maxFailures", async () => {
    await expect(run(failing([1, 2, 3]), 20, { maxFailures: 2 })).rejects.toThrow("maxFailures is 2");
    expect((await run(failing([1, 2, 3]), 20, { maxFailures: 3 })).rows).toBe(17);
  });
});
