import { ResiduaError } from "@residua/lens";
import { afterAll, describe, expect, test } from "vitest";
import { sharedCopy } from "../../src/compute/shared-copy.ts";
import { createWorkerPool } from "../../src/compute/worker-pool.ts";
import { ProbeError } from "../../src/probes/probe-error.ts";

const tasks = new URL("./test-tasks.ts", import.meta.url);
const pool = createWorkerPool({ size: 2, tasks });
afterAll(() => pool.close());

const run = (name: string, input?: unknown, signal?: AbortSignal) =>
  pool.run(name, () => ({ input }), { signal });

describe("a pool of workers", () => {
  test("computes tasks by name, several at once", async () => {
    const sums = await Promise.all([1, 2, 3, 4, 5].map((a) => run("add", { a, b: 10 })));
    expect(sums).toEqual([11, 12, 13, 14, 15]);
  });

  test("transfers buffers there and back, and reads shared ones in place", async () => {
    const values = Float32Array.of(1, 2, 3);
    const doubled = await pool.run("double", () => ({ input: values, transfer: [values.buffer] }));
    expect(doubled).toEqual(Float32Array.of(2, 4, 6));
    expect(values.length).toBe(0);
    const shared = sharedCopy(Float32Array.of(4, 5));
    const both = await Promise.all([run("sum", shared), run("sum", shared)]);
    expect(both).toEqual([
      { sum: 9, shared: true },
      { sum: 9, shared: true },
    ]);
  });

  test("an input is made only when a worker is free", async () => {
    let [alive, most] = [0, 0];
    const one = async () => {
      await pool.run("spin", () => {
        most = Math.max(most, ++alive);
        return { input: 20 };
      });
      alive--;
    };
    await Promise.all(Array.from({ length: 6 }, one));
    expect(most).toBe(2);
  });

  test("an error comes back as what it was: class, code, message and data, with its own stack", async () => {
    const error = await run("refuse").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProbeError);
    expect(error).toMatchObject({
      name: "ProbeError",
      code: "one_class",
      message: "All rows are of one class.",
    });
    expect((error as ProbeError).data).toEqual({ positives: 3, negatives: 0 });
    expect((error as ProbeError).stack).toContain("test-tasks");
    const plain = run("throwPlain");
    await expect(plain).rejects.toMatchObject({
      name: "RangeError",
      message: "out of range",
      code: "ERR_RANGE",
    });
    await expect(run("unclonable")).rejects.toThrow(/could not be cloned/);
    await expect(run("noSuchTask")).rejects.toThrow("no task noSuchTask");
  });

  test.each(["exit", "crash"])(
    "a worker that dies (%s) is an error of its job, and the next job runs",
    async (how) => {
      const error = await run(how).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ResiduaError);
      expect(error).toMatchObject({ code: "worker_died", data: { task: how } });
      expect((error as Error).message).toMatch(how === "exit" ? /ended with code 7/ : /nobody catches this/);
      expect(await run("add", { a: 1, b: 1 })).toBe(2);
    },
  );

  test("an abort ends what runs at once, and what waits", async () => {
    const control = new AbortController();
    const began = performance.now();
    const jobs = [60_000, 60_000, 1].map((ms) => run("spin", ms, control.signal));
    setTimeout(() => control.abort(new Error("enough")), 100);
    const ends = await Promise.allSettled(jobs);
    expect(ends.map((end) => (end.status === "rejected" ? (end.reason as Error).message : "ran"))).toEqual([
      "enough",
      "enough",
      "enough",
    ]);
    expect(performance.now() - began).toBeLessThan(10_000);
    await expect(run("add", { a: 1, b: 2 }, control.signal)).rejects.toThrow("enough");
    expect(await run("add", { a: 1, b: 2 })).toBe(3);
  });

  test("the event loop stays free while workers compute", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    await run("spin", 300);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  test("close ends what runs and what waits, and takes no more", async () => {
    const closing = createWorkerPool({ size: 1, tasks });
    const jobs = [60_000, 1].map((ms) => closing.run("spin", () => ({ input: ms })));
    const ends = Promise.allSettled(jobs);
    await closing.close();
    expect((await ends).map((end) => (end as PromiseRejectedResult).reason as unknown)).toMatchObject([
      { code: "worker_closed" },
      { code: "worker_closed" },
    ]);
    await expect(closing.run("add", () => ({ input: { a: 1, b: 1 } }))).rejects.toMatchObject({
      code: "worker_closed",
    });
  });
});
