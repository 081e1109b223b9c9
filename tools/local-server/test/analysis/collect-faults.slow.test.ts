import { collect } from "@residua/analysis";
import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startServer, type ServerOptions } from "../../src/index.ts";
import { tinyModel } from "../support.ts";
import { freshFolder, lensAt, statements } from "./collect-support.ts";

const options = { layers: [1, 3], select: { last: 2 }, shardRows: 10, concurrency: 3 } as const;
const examples = statements(30);

let model: Model;
beforeAll(async () => {
  model = await loadModel(tinyModel);
});
afterAll(() => model.dispose());

async function serverWith(given: Partial<ServerOptions>): Promise<Awaited<ReturnType<typeof startServer>>> {
  const server = await startServer({ profile: "vllm", log: () => undefined, ...given, model });
  onTestFinished(() => server.close().catch(() => undefined));
  return server;
}

/** What a server without faults gives. */
async function undisturbed(): Promise<string> {
  const { url } = await serverWith({});
  const dataset = await collect(lensAt(url), examples, { ...options, to: await freshFolder() });
  expect(dataset.manifest.failures).toBeUndefined();
  return dataset.manifest.contentHash;
}

describe("a server that", () => {
  test.each([
    ["fails a part of its requests", "storm-502=0.3", "upstream_unreachable"],
    ["answers a part without its activations", "missing-activations=0.3", "missing_activations"],
    ["has a NaN in a part of its rows", "nan-row=0.3", "non_finite"],
    ["cuts a part of its tensors", "truncated-zstd=0.3", null],
  ])("%s: each failure is recorded, and the rest is right; tried again, all is", async (_, quirk, code) => {
    const to = await freshFolder();
    const { url } = await serverWith({ quirks: [quirk], quirkSeed: 5 });
    const dataset = await collect(lensAt(url), examples, { ...options, to });
    const failures = await dataset.failures();
    expect(failures.length).toBeGreaterThan(2);
    expect(dataset.manifest.examples).toBe(30 - failures.length);
    if (code !== null) expect(new Set(failures.map((failure) => failure.code))).toEqual(new Set([code]));
    const good = await serverWith({});
    const again = await collect(lensAt(good.url), examples, { ...options, to });
    expect(again.manifest.failures).toBeUndefined();
    expect(again.manifest.contentHash).toBe(await undisturbed());
    await again.validate();
  });

  test("goes away in the middle and comes back: the run ends, and goes on where it was", async () => {
    const to = await freshFolder();
    const first = await serverWith({});
    const { port } = new URL(first.url);
    const run = collect(lensAt(first.url), examples, {
      ...options,
      to,
      maxFailures: 4,
      onProgress: ({ done }) => {
        if (done === 12) void first.close();
      },
    });
    await expect(run).rejects.toMatchObject({ code: "too_many_failures" });
    const second = await serverWith({ port: Number(port) });
    const reports: number[] = [];
    const dataset = await collect(lensAt(second.url), examples, {
      ...options,
      to,
      onProgress: ({ reused }) => reports.push(reused),
    });
    expect(reports[0]).toBeGreaterThanOrEqual(12);
    expect(dataset.manifest.contentHash).toBe(await undisturbed());
    expect(dataset.manifest.failures).toBeUndefined();
  });

  test("changes its checkpoint in the middle, under the same name: no row of it comes among the others", async () => {
    const to = await freshFolder();
    const first = await serverWith({ modelId: "served", checkpoint: "one" });
    const { port } = new URL(first.url);
    const lens = lensAt(first.url);
    let captures = 0;
    const changing: typeof lens = {
      ...lens,
      async capture(request, given) {
        if (captures++ === 12) {
          await first.close();
          await serverWith({ modelId: "served", checkpoint: "two", port: Number(port) });
        }
        return lens.capture(request, given);
      },
    };
    const run = collect(changing, examples, { ...options, to, concurrency: 1 });
    await expect(run).rejects.toMatchObject({ code: "capture_differs" });
    const other = collect(lensAt(first.url), examples, { ...options, to });
    await expect(other).rejects.toMatchObject({ code: /_differs$/ });
  });
});
