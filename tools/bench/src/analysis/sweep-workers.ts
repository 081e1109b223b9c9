import { createRandom, sweepLayers, useBackend } from "@residua/analysis";
import { availableParallelism } from "node:os";
import type { Contest } from "../row.ts";

const rows = 800;
const hiddenSize = 256;
const layerCount = 8;

/** A sweep with a worker for each core against the same with one: what the threads bring. */
export async function sweepWorkers(): Promise<Contest> {
  // Without threads of its own: the native backend uses all cores by itself.
  await useBackend({ prefer: "wasm" });
  const workers = availableParallelism();
  const dataset = noisyLayers();
  const sweep = (count: number) => sweepLayers(dataset, { label: "label", group: "group", workers: count });
  const timed = async (count: number) => {
    const began = performance.now();
    await sweep(count);
    return performance.now() - began;
  };
  return {
    id: "analysis/sweep-workers",
    work: `a sweep of ${layerCount} layers, n ${rows}, d ${hiddenSize}, on wasm with ${workers} workers`,
    peerName: "1 worker",
    goal: null,
    async checkEqual() {
      if (JSON.stringify(await sweep(workers)) !== JSON.stringify(await sweep(1)))
        throw new Error("workers gave other numbers than one");
    },
    ours: () => timed(workers),
    peer: () => timed(1),
    close: () => Promise.resolve(),
  };
}

function noisyLayers() {
  const random = createRandom(0, "sweep bench");
  const labels = Array.from({ length: rows }, (_, row) => row % 2);
  const layers = Array.from({ length: layerCount }, (_, layer) =>
    Float32Array.from({ length: rows * hiddenSize }, (_value, at) => {
      const told = at % hiddenSize === layer ? labels[Math.floor(at / hiddenSize)]! : 0;
      return random.gaussian() + told;
    }),
  );
  return {
    rows,
    hiddenSize,
    layers: [...layers.keys()],
    columns: ["label", "group"],
    column: (name: string) => Promise.resolve(name === "label" ? labels : labels.map((_, row) => row >> 1)),
    layer: (layer: number) => Promise.resolve(layers[layer]!),
  };
}
