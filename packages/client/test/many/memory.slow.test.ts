import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { startChild } from "./child-support.ts";
import { crowdServer, makeCloser } from "./crowd-server.ts";

const closing = makeCloser();
afterEach(() => closing.all());

it("10 000 requests take less than 300 MB, with a journal and when resumed from it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "residua-memory-"));
  const server = closing(await crowdServer({ delay: 0 }));
  const run = { baseURL: server.url, count: 10_000, options: { journal: join(folder, "run.jsonl") } };
  const first = await startChild(run).report;
  expect(first).toMatchObject({ outcomes: 10_000, failed: 0, resumed: 0 });
  const second = await startChild(run).report;
  expect(second).toMatchObject({ outcomes: 10_000, failed: 0, resumed: 10_000 });
  expect(server.asked).toHaveLength(10_000);
  for (const report of [first, second]) {
    console.log(
      `${Math.round((report?.before ?? 0) / 1e6)} MB before, ${Math.round((report?.peak ?? 0) / 1e6)} MB at most`,
    );
    expect(report?.peak).toBeLessThan(300e6);
  }
  await rm(folder, { recursive: true });
}, 180_000);
