import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { arrayDataset } from "../probes/sweep-data.ts";

/** Layers of which the middle one tells the label; some rows have none. */
function noisyLayers({ rows, hiddenSize, count }: { rows: number; hiddenSize: number; count: number }) {
  const random = createRandom(5, "layers");
  const labels = Array.from({ length: rows }, (_, row) => (row % 17 === 3 ? null : row % 2));
  const layers = Array.from({ length: count }, (_, layer) =>
    Float32Array.from({ length: rows * hiddenSize }, (_value, at) => {
      const signal = layer === count >> 1 && at % hiddenSize === 2 ? labels[Math.floor(at / hiddenSize)]! : 0;
      return random.gaussian() + 2 * signal;
    }),
  );
  const columns = { label: labels, group: labels.map((_, row) => row >> 1) };
  return arrayDataset({ hiddenSize, layers, columns });
}

const options = { label: "label", group: "group", draws: 50, shuffles: 3, randomDirections: 5 };

describe.each(["wasm", "cpu"] as const)("a sweep over workers on %s", (prefer) => {
  beforeAll(() => useBackend({ prefer }));

  test("gives the same bits as in this thread, layer by layer and choice by choice", async () => {
    const dataset = noisyLayers({ rows: 160, hiddenSize: 12, count: 5 });
    const before = await dataset.layer(0).then((values) => values.slice());
    const here = await sweepLayers(dataset, { ...options, workers: 0 });
    for (const workers of [1, 3]) {
      const done: number[] = [];
      const there = await sweepLayers(dataset, {
        ...options,
        workers,
        onProgress: (progress) => {
          done.push(progress.done);
          expect(progress.total).toBe(5);
        },
      });
      expect(JSON.stringify(there)).toBe(JSON.stringify(here));
      expect(done).toEqual([1, 2, 3, 4, 5]);
    }
    expect(here.chosen.layer).toBe(2);
    // What the dataset holds was not taken away from it.
    expect(await dataset.layer(0)).toEqual(before);
    expect(tf.memory().numTensors).toBe(0);
  });
});

describe("on wasm", () => {
  beforeAll(() => useBackend({ prefer: "wasm" }));
  const dataset = noisyLayers({ rows: 400, hiddenSize: 64, count: 6 });

  test("timers fire while workers sweep, and none fires while this thread does", async () => {
    const ticksDuring = async (workers: number) => {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 10);
      const began = performance.now();
      await sweepLayers(dataset, { ...options, workers });
      clearInterval(timer);
      return ticks / ((performance.now() - began) / 10);
    };
    await ticksDuring(2);
    expect(await ticksDuring(2)).toBeGreaterThan(0.3);
    expect(await ticksDuring(0)).toBeLessThan(0.1);
  });

  test("no more layers are in memory than there are workers", async () => {
    let [alive, most] = [0, 0];
    const counted = {
      ...dataset,
      layer: async (layer: number) => {
        most = Math.max(most, ++alive);
        return await dataset.layer(layer);
      },
    };
    await sweepLayers(counted, { ...options, workers: 2, onProgress: () => alive-- });
    expect(most).toBe(2);
  });

  test("an abort ends a sweep within a layer, and the next one runs", async () => {
    const large = noisyLayers({ rows: 4000, hiddenSize: 256, count: 4 });
    const control = new AbortController();
    const sweeping = sweepLayers(large, { ...options, workers: 2, signal: control.signal });
    setTimeout(() => control.abort(new Error("enough")), 3000);
    const began = performance.now();
    await expect(sweeping).rejects.toThrow("enough");
    expect(performance.now() - began).toBeLessThan(8000);
    expect((await sweepLayers(dataset, { ...options, workers: 2 })).chosen.layer).toBe(3);
  });

  test("an error of a layer comes back as it is, and stops the others", async () => {
    const broken = {
      ...dataset,
      layer: async (layer: number) => {
        const values = (await dataset.layer(layer)).slice();
        if (layer === 1) values[3] = NaN;
        return values;
      },
    };
    await expect(sweepLayers(broken, { ...options, workers: 2 })).rejects.toMatchObject({
      name: "ProbeError",
      code: "not_finite",
      message: expect.stringContaining("Row 0, feature 3 is NaN") as string,
    });
    const absent = { ...dataset, layer: () => Promise.reject(new Error("no file")) };
    await expect(sweepLayers(absent, { ...options, workers: 2 })).rejects.toThrow("no file");
  });

  test("a probe of the caller's own is swept here", async () => {
    const own = { ...logistic({ C: 0.1 }) };
    const one = { ...options, layers: [3], probes: [own] };
    expect((await sweepLayers(dataset, one)).chosen.layer).toBe(3);
    await expect(sweepLayers(dataset, { ...one, workers: 1 })).rejects.toMatchObject({ code: "bad_option" });
  });
});
