import fc from "fast-check";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectInOrder } from "../../src/collect/collect-in-order.ts";

test("delivers every index in order, one delivery at a time, at most `concurrency` tasks and few results waiting", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(4), { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      async (delays, concurrency) => {
        let running = 0;
        let delivering = 0;
        const delivered: number[] = [];
        await collectInOrder({
          from: 0,
          to: delays.length,
          concurrency,
          task: async (index) => {
            expect(++running).toBeLessThanOrEqual(concurrency);
            expect(index - delivered.length).toBeLessThanOrEqual(4 * concurrency);
            await sleep(delays[index]);
            running--;
            return index;
          },
          deliver: async (index) => {
            expect(++delivering).toBe(1);
            await sleep(0);
            delivering--;
            delivered.push(index);
          },
        });
        expect(delivered).toEqual(delays.map((_, i) => i));
      },
    ),
    { numRuns: 30 },
  );
});

test("a slow first task does not let the others run ahead without bound", async () => {
  let begun = 0;
  let release: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (release = resolve));
  const run = collectInOrder({
    from: 0,
    to: 1000,
    concurrency: 2,
    task: async (index) => {
      begun++;
      if (index === 0) await first;
    },
    deliver: () => Promise.resolve(),
  });
  await sleep(20);
  expect(begun).toBeLessThanOrEqual(9);
  release();
  await run;
  expect(begun).toBe(1000);
});

test("after a failure those in flight end and are delivered up to the gap; the first error is thrown", async () => {
  const delivered: number[] = [];
  let ended = 0;
  const run = collectInOrder({
    from: 0,
    to: 100,
    concurrency: 4,
    task: async (index) => {
      await sleep(index < 3 ? 20 : 1);
      ended++;
      if (index >= 3) throw new Error(`task ${index}`);
      return index;
    },
    deliver: (index) => Promise.resolve(void delivered.push(index)),
  });
  await expect(run).rejects.toThrow("task 3");
  expect(delivered).toEqual([0, 1, 2]);
  expect(ended).toBe(4);
});

test("an error of a delivery ends the run", async () => {
  const run = collectInOrder({
    from: 0,
    to: 50,
    concurrency: 3,
    task: (index) => Promise.resolve(index),
    deliver: (index) => (index === 7 ? Promise.reject(new Error("no room")) : Promise.resolve()),
  });
  await expect(run).rejects.toThrow("no room");
});

test("an abort begins no task and throws the reason", async () => {
  const stop = new AbortController();
  let begun = 0;
  const run = collectInOrder({
    from: 0,
    to: 50,
    concurrency: 2,
    signal: stop.signal,
    task: () => {
      if (++begun === 5) stop.abort(new Error("enough"));
      return Promise.resolve();
    },
    deliver: () => Promise.resolve(),
  });
  await expect(run).rejects.toThrow("enough");
  expect(begun).toBeLessThanOrEqual(6);
});
