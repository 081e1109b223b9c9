import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { collect } from "../../src/collect/collect.ts";
import type { Example } from "../../src/examples/example.ts";
import { freshFolder } from "./collect-helpers.ts";
import { MemoryLens } from "./memory-lens.ts";

/** Captures without a timer each, which would be most of the time. */
class QuickLens extends MemoryLens {
  override async capture(request: Parameters<MemoryLens["compute"]>[0]) {
    if (this.captures++ % 64 === 0) await turn();
    return this.compute(request);
  }
}

test("a hundred thousand tiny examples: memory stays bounded", async () => {
  const examples = Array.from({ length: 100_000 }, (_, i): Example => ({ prompt: [1 + (i % 900), i % 31] }));
  const before = process.memoryUsage().rss;
  let most = 0;
  const dataset = await collect(new QuickLens(), examples, {
    layers: [1],
    to: await freshFolder(),
    shardRows: 8192,
    onProgress: ({ done }) => {
      if (done % 1000 === 0) most = Math.max(most, process.memoryUsage().rss - before);
    },
  });
  expect(dataset.rows).toBe(100_000);
  expect(most).toBeLessThan(600 * 2 ** 20);
}, 300_000);
