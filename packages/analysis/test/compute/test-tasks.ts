/* eslint-disable @typescript-eslint/require-await -- a task gives a promise, whatever it does */
import { ProbeError } from "../../src/probes/probe-error.ts";
import type { Task } from "../../src/compute/worker-messages.ts";

/** Tasks that do what a worker may do, for the tests of the pool. */
export default {
  add: async ({ a, b }: { a: number; b: number }) => ({ output: a + b }),
  /** Writes into what it was given, and gives it back. */
  double: async (values: Float32Array<ArrayBuffer>) => {
    values.forEach((value, at) => (values[at] = 2 * value));
    return { output: values, transfer: [values.buffer] };
  },
  /** Adds up numbers that several workers read. */
  sum: async (values: Float32Array) => ({
    output: {
      sum: values.reduce((sum, value) => sum + value, 0),
      shared: values.buffer instanceof SharedArrayBuffer,
    },
  }),
  /** Keeps its thread busy, as a kernel does. */
  spin: async (ms: number) => {
    const began = performance.now();
    while (performance.now() - began < ms);
    return { output: ms };
  },
  refuse: async () => {
    throw new ProbeError("one_class", "All rows are of one class.", {
      positives: 3,
      negatives: 0,
      helper: () => 0,
    });
  },
  throwPlain: async () => {
    throw Object.assign(new RangeError("out of range"), { code: "ERR_RANGE" });
  },
  exit: async () => process.exit(7),
  crash: async () => {
    setTimeout(() => {
      throw new Error("nobody catches this");
    });
    return await new Promise<never>(() => undefined);
  },
  unclonable: async () => ({ output: () => 1 }),
} satisfies Record<string, Task>;
