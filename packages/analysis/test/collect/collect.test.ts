import { InvalidRequestError, ResiduaError } from "@residua/lens";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CollectOptions } from "../../src/collect/collect-options.ts";
import type { CollectProgress } from "../../src/collect/collect-progress.ts";
import { collect } from "../../src/collect/collect.ts";
import { freeRunName } from "../../src/files/free-run-name.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { freshFolder, leftovers } from "./collect-helpers.ts";
import { base, interrupted } from "./collect-interrupted.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

describe("collect", () => {
  test("keeps the examples' order whatever order the captures end in, at most `concurrency` at a time", async () => {
    const lens = new MemoryLens({ delay: () => Math.random() * 8 });
    const reports: CollectProgress[] = [];
    const dataset = await collect(lens, someExamples(40), {
      ...base,
      to: await freshFolder(),
      concurrency: 5,
      onProgress: (progress) => reports.push(progress),
    });
    expect(await dataset.column("example")).toEqual(someExamples(40).map(({ id }) => id));
    expect(lens.mostInFlight).toBe(5);
    expect(lens.captures).toBe(40);
    expect(reports.map(({ done }) => done)).toEqual(Array.from({ length: 41 }, (_, i) => i));
    expect(reports.at(-1)).toMatchObject({
      done: 40,
      total: 40,
      reused: 0,
      failed: 0,
      rows: 40,
      shards: 10,
      secondsLeft: 0,
    });
    expect(reports.at(-1)?.perSecond).toBeGreaterThan(0);
    expect(await leftovers(dataset.folder)).toEqual([]);
  });

  test("what a self-test found of the server is in the dataset, and nothing where there was none", async () => {
    const fingerprint = {
      format: "residua-server-fingerprint",
      hash: "a".repeat(64),
      plugin: "vllm-lens >= 1.3",
    };
    const lens = Object.assign(new MemoryLens(), {
      fingerprint: (model: string) => (model === "memory" ? (fingerprint as never) : undefined),
    });
    const collected = async (from: MemoryLens) => {
      const { folder } = await collect(from, someExamples(3), { ...base, to: await freshFolder() });
      return JSON.parse(await readFile(join(folder, "dataset.json"), "utf8")) as { server?: object };
    };
    expect((await collected(lens)).server).toEqual(fingerprint);
    expect(await collected(new MemoryLens())).not.toHaveProperty("server");
  });

  test("the order of the layers asked for is no matter", async () => {
    const [a, b] = await Promise.all(
      [
        [1, 3],
        [3, 1],
      ].map(async (layers) =>
        collect(new MemoryLens(), someExamples(6), { layers, to: await freshFolder() }),
      ),
    );
    expect(a!.manifest).toEqual(b!.manifest);
    expect(a!.layers).toEqual([1, 3]);
  });

  test("a finished dataset of the same plan is opened without a capture, even from a folder that is locked", async () => {
    const to = await freshFolder();
    const first = await collect(new MemoryLens(), someExamples(10), { ...base, to });
    const lens = new MemoryLens();
    await writeFile(join(to, "collect.lock"), "{");
    const again = await collect(lens, someExamples(10), { ...base, to, concurrency: 1, shardRows: 3 });
    expect(lens.captures).toBe(0);
    expect(again.manifest).toEqual(first.manifest);
  });

  test.each<[string, Partial<CollectOptions>, number]>([
    ["layers", { layers: [1] }, 10],
    ["selection", { select: "first" }, 10],
    ["max_tokens", { max_tokens: 2 }, 10],
    ["model", { model: "other" }, 10],
    ["examples", {}, 9],
  ])("another plan in the same folder is refused: %s", async (part, change, count) => {
    const to = await freshFolder();
    await collect(new MemoryLens(), someExamples(10), { ...base, to });
    const before = await readFile(join(to, "dataset.json"));
    const lens = new MemoryLens();
    const run = collect(lens, someExamples(count), { ...base, to, ...change });
    await expect(run).rejects.toMatchObject({ code: "dataset_differs", path: to });
    await expect(run).rejects.toThrow(part === "max_tokens" ? "maxTokens 1, not 2" : part);
    expect(lens.captures).toBe(0);
    expect(await readFile(join(to, "dataset.json"))).toEqual(before);
    expect(await leftovers(to)).toEqual([]);
  });

  test("another plan is refused in an unfinished folder too, and where shards lie without a plan", async () => {
    const to = await freshFolder();
    await interrupted(to, 9);
    const other = collect(new MemoryLens(), someExamples(20), { ...base, layers: [0], to });
    await expect(other).rejects.toMatchObject({ code: "dataset_differs" });
    await rm(join(to, "collect.jsonl"));
    const same = collect(new MemoryLens(), someExamples(20), { ...base, to });
    await expect(same).rejects.toMatchObject({ code: "dataset_differs" });
    expect((await readdir(to)).includes("shard-00001.arrow")).toBe(true);
  });

  test("the folder may hold other files", async () => {
    const to = await freshFolder();
    await writeFile(join(to, "report.html"), "mine");
    await collect(new MemoryLens(), someExamples(3), { ...base, to });
    expect(await leftovers(to)).toEqual(["report.html"]);
  });

  test("one writer a folder", async () => {
    const to = await freshFolder();
    const runs = await Promise.allSettled(
      [1, 2, 3].map(() => collect(new MemoryLens({ delay: () => 5 }), someExamples(10), { ...base, to })),
    );
    const refused = runs.flatMap((run) => (run.status === "rejected" ? [run.reason as ResiduaError] : []));
    expect(refused.map(({ code }) => code)).toEqual(["dataset_locked", "dataset_locked"]);
    await (await openDataset(to)).validate();
  });
});

describe("a capture that fails with failFast", () => {
  test("ends the run with its own error, which names the example; the rows before it are kept", async () => {
    const to = await freshFolder();
    await interrupted(to, 9);
    expect((await readdir(to)).sort()).toEqual([
      "collect.jsonl",
      "in-hand.arrow",
      "shard-00000.arrow",
      "shard-00001.arrow",
    ]);
    await expect(openDataset(to)).rejects.toMatchObject({ code: "dataset_incomplete" });
    const lens = new MemoryLens();
    const reports: CollectProgress[] = [];
    const dataset = await collect(lens, someExamples(20), {
      ...base,
      to,
      onProgress: (report) => reports.push(report),
    });
    expect(lens.captures).toBe(11);
    expect(reports[0]).toMatchObject({ done: 9, total: 20, reused: 9, rows: 9, shards: 2, perSecond: null });
    const undisturbed = await collect(new MemoryLens(), someExamples(20), {
      ...base,
      to: await freshFolder(),
    });
    expect(dataset.manifest).toEqual(undisturbed.manifest);
  });

  test("those in flight end first", async () => {
    let begun = 0;
    let ended = 0;
    const lens = new MemoryLens({
      onCapture: async () => {
        const mine = begun++;
        if (mine === 4) throw new ResiduaError("invalid_request", "no");
        await new Promise((resolve) => setTimeout(resolve, 30));
        ended++;
      },
    });
    const run = collect(lens, someExamples(40), {
      ...base,
      to: await freshFolder(),
      concurrency: 8,
      failFast: true,
    });
    await expect(run).rejects.toMatchObject({ code: "invalid_request" });
    expect([begun, ended]).toEqual([8, 7]);
    expect(lens.inFlight).toBe(0);
  });

  test.each([
    ["checkpoint", (lens: MemoryLens) => (lens.checkpoint = "memory/two")],
    ["width", (lens: MemoryLens) => Object.assign(lens, { hiddenSize: 9 })],
  ])("another %s in the middle of a run, and in the run that resumes, is refused", async (_, change) => {
    const to = await freshFolder();
    let seen = 0;
    const lens: MemoryLens = new MemoryLens({
      onCapture: () => {
        if (seen++ === 6) change(lens);
      },
    });
    const options = { ...base, to, concurrency: 1 };
    await expect(collect(lens, someExamples(20), options)).rejects.toMatchObject({ code: "capture_differs" });
    await expect(collect(lens, someExamples(20), options)).rejects.toMatchObject({ code: "capture_differs" });
    const dataset = await collect(new MemoryLens(), someExamples(20), options);
    expect(dataset.rows).toBe(20);
  });
});

describe("abort", () => {
  test("before the first capture: nothing is asked and nothing written", async () => {
    const to = join(await freshFolder(), "run");
    const lens = new MemoryLens();
    const run = collect(lens, someExamples(5), { ...base, to, signal: AbortSignal.abort(new Error("no")) });
    await expect(run).rejects.toThrow("no");
    expect(lens.captures).toBe(0);
    expect(await freeRunName(to)).toBe(to);
  });

  test("in the middle: the reason is thrown, captures end, the state can be resumed", async () => {
    const to = await freshFolder();
    const stop = new AbortController();
    const reason = new Error("stopped by hand");
    const lens = new MemoryLens({
      delay: () => 3,
      onCapture: () => {
        if (lens.captures >= 11) stop.abort(reason); // two are in flight: the count may pass 11 between calls
      },
    });
    const run = collect(lens, someExamples(20), { ...base, to, concurrency: 2, signal: stop.signal });
    await expect(run).rejects.toBe(reason);
    expect(lens.inFlight).toBe(0);
    const rest = new MemoryLens();
    const dataset = await collect(rest, someExamples(20), { ...base, to });
    // Of 11 captures, two were in flight and at most two waited for their turn: at least seven are kept.
    expect(rest.captures).toBeLessThanOrEqual(13);
    expect(await dataset.column("example")).toEqual(someExamples(20).map(({ id }) => id));
  });
});

test.each<[string, object]>([
  ["no layer", { layers: [] }],
  ["a layer twice", { layers: [1, 1] }],
  ["a layer below the embeddings", { layers: [-2] }],
  ["a selection", { select: "mean" }],
  ["concurrency", { concurrency: 0 }],
  ["no folder", { to: "" }],
  ["an unknown option", { layer: 3 }],
])("refuses options: %s", async (_, change) => {
  const lens = new MemoryLens();
  const run = collect(lens, someExamples(2), {
    ...base,
    to: await freshFolder(),
    ...change,
  });
  await expect(run).rejects.toBeInstanceOf(InvalidRequestError);
  expect(lens.captures).toBe(0);
});

test("freeRunName counts up from 2", async () => {
  const folder = join(await freshFolder(), "run");
  expect(await freeRunName(folder)).toBe(folder);
  await mkdir(folder);
  expect(await freeRunName(folder)).toBe(`${folder}-2`);
  await writeFile(`${folder}-2`, "");
  expect(await freeRunName(folder)).toBe(`${folder}-3`);
});
