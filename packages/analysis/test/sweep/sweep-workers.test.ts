import { expect, test } from "vitest";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { sweepWorkers } from "../../src/sweep/sweep-workers.ts";

const large = {
  asked: undefined,
  backend: "wasm",
  probes: [logistic()],
  rows: 100_000,
  width: 64,
  layers: 12,
} as const;

test("by default a large sweep takes workers, and a small one, WebGPU and probes of one's own take none", () => {
  const workers = sweepWorkers(large);
  expect(workers).toBeGreaterThanOrEqual(1);
  expect(sweepWorkers({ ...large, layers: 1, rows: 1e6 })).toBe(1);
  expect(sweepWorkers({ ...large, backend: "node-cpu" })).toBe(1);
  expect(sweepWorkers({ ...large, rows: 40 })).toBe(0);
  expect(sweepWorkers({ ...large, backend: "webgpu" })).toBe(0);
  expect(sweepWorkers({ ...large, backend: undefined })).toBe(0);
  expect(sweepWorkers({ ...large, probes: [{ ...differenceOfMeans() }] })).toBe(0);
  // Memory decides too: a layer of 4 TB fits nowhere more than once.
  expect(sweepWorkers({ ...large, rows: 1e10, width: 100 })).toBe(1);
});

test("what is asked for is given, no more than there are layers", () => {
  expect(sweepWorkers({ ...large, asked: 3 })).toBe(3);
  expect(sweepWorkers({ ...large, asked: 30 })).toBe(12);
  expect(sweepWorkers({ ...large, asked: 0 })).toBe(0);
});

test("a number of workers that makes no sense is refused, and workers for a probe that cannot go there", () => {
  for (const asked of [-1, 1.5, NaN, 257])
    expect(() => sweepWorkers({ ...large, asked })).toThrow(
      `workers is ${asked}: give a whole number from 0 to 256`,
    );
  const own = { ...differenceOfMeans() };
  expect(() => sweepWorkers({ ...large, asked: 2, probes: [own] })).toThrow(
    "the probe difference-of-means is not one that this package made",
  );
});
