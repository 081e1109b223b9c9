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
