import { setImmediate } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createWorkerPool } from "../../src/compute/worker-pool.ts";
import { ProbeError } from "../../src/probes/probe-error.ts";

// More is tried in worker-pool.slow.test.ts: each thread takes a second to start.
const pool = createWorkerPool({ size: 1, tasks: new URL("./test-tasks.ts", import.meta.url) });
afterAll(() => pool.close());

test("a worker computes, refuses with the error's own class, dies as an error, and computes again", async () => {
  const add = () => pool.run("add", () => ({ input: { a: 1, b: 2 } }));
  expect(await add()).toBe(3);
  const refused = pool.run("refuse", () => ({ input: undefined }));
  await expect(refused).rejects.toBeInstanceOf(ProbeError);
  const died = pool.run("exit", () => ({ input: undefined }));
  await expect(died).rejects.toMatchObject({ code: "worker_died", data: { task: "exit" } });
  expect(await add()).toBe(3);
});

test("an abort in the moment in which a worker was given takes nobody else's place", async () => {
  const one = createWorkerPool({ size: 1, tasks: new URL("./test-tasks.ts", import.meta.url) });
  let fail = (_: Error): void => undefined;
  const failing = new Promise<never>((_, reject) => (fail = reject));
  const stop = new AbortController();
  const first = one.run("add", () => failing);
  const second = one.run("add", () => ({ input: undefined }), { signal: stop.signal });
  const third = one.run("add", () => {
    throw new Error("the third had its turn");
  });
  const outcomes = Promise.allSettled([first, second, third]);
  await setImmediate();
  // The first ends and gives its worker to the second; the abort comes before the second goes on.
  fail(new Error("the first failed"));
  queueMicrotask(() => stop.abort());
  expect((await outcomes).map((outcome) => String((outcome as PromiseRejectedResult).reason))).toEqual([
    "Error: the first failed",
    expect.stringContaining("AbortError"),
    "Error: the third had its turn",
  ]);
  await one.close();
}, 2000);
