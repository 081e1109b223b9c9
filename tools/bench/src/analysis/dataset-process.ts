import { createHash } from "node:crypto";
import process from "node:process";
import {
  type ActivationDataset,
  fitLayers,
  layerTensor,
  logistic,
  openDataset,
  type RowBlock,
  type RowStream,
  useBackend,
  writeDataset,
} from "@residua/analysis";
import { timed } from "../clock.ts";
import { peakMemory } from "../peak-memory.ts";
import type { DatasetAnswer, DatasetTask } from "./dataset-task.ts";
import { labelledRows } from "./labelled-rows.ts";
import { madeRows } from "./made-rows.ts";

// A process in which nothing but datasets are written and read.

let rows: RowStream | undefined;

/** The same rows, all in memory. */
async function heldRows(source: RowStream): Promise<RowStream> {
  const blocks: RowBlock[] = [];
  for await (const block of source.blocks()) blocks.push(block);
  // eslint-disable-next-line @typescript-eslint/require-await
  async function* hand() {
    yield* blocks;
  }
  return { ...source, blocks: hand };
}

async function run(task: DatasetTask): Promise<Omit<DatasetAnswer, "peak">> {
  const { folder } = task;
  if (task.do === "write") {
    const { size, held } = task;
    const options = { how: "bench", from: [], ...(size.shardRows && { shardRows: size.shardRows }) };
    if (held) rows ??= await heldRows(madeRows(size));
    const source = (held ? rows : undefined) ?? (size.labelled ? labelledRows(size) : madeRows(size));
    return { ms: await timed(() => writeDataset(folder, source, options)) };
  }
  if (task.do === "open") {
    return { ms: await timed(async () => (await openDataset(folder)).column("truth")) };
  }
  const dataset = await openDataset(folder);
  if (task.do === "read") {
    const ms = await timed(async () => {
      const bits = await dataset.layerBits(0);
      let blocks = 0;
      for await (const { first, numbers } of dataset.layerBlocks(0)) {
        if (numbers[0] !== bits[first * dataset.hiddenSize]) throw new Error(`row ${first} differs`);
        blocks++;
      }
      if (blocks === 0) throw new Error("no block");
    });
    return { ms };
  }
  if (task.do === "fit") return { ms: await timed(() => fitLayer(dataset)) };
  await useBackend({ prefer: task.backend });
  const began = performance.now();
  const tensor = await layerTensor(dataset, 0);
  const ms = performance.now() - began;
  try {
    if (task.do === "tensor") return { ms };
    const hash = createHash("sha256");
    const values = await tensor.data();
    for (let at = 0; at < values.length; at += 2 ** 22) hash.update(values.subarray(at, at + 2 ** 22));
    return { ms, hash: hash.digest("hex") };
  } finally {
    tensor.dispose();
  }
}

/** Fails where a fit did not converge. */
async function fitLayer(dataset: ActivationDataset): Promise<void> {
  await useBackend({ prefer: "wasm" });
  const labels = Uint8Array.from(await dataset.column("truth"), Number);
  const columns = Array.from({ length: 5 }, (_, fold) => ({
    training: { included: labels.map((_label, row) => Number(Math.floor(row / 2) % 5 !== fold)) },
    labels,
  }));
  const probe = logistic({ C: [1e-4, 1e-3, 1e-2, 1e-1, 1, 3, 10, 100] });
  for await (const { fits } of fitLayers(dataset, { probe, columns })) {
    const failed = fits.flat().find(({ converged }) => !converged);
    if (failed) throw new Error(`the fit at C = ${failed.C} did not converge`);
  }
}

process.on("message", (task: DatasetTask) => {
  void run(task).then((answer) => {
    // What the task left is no part of the next one.
    globalThis.gc!();
    process.send!({ ...answer, peak: peakMemory() } satisfies DatasetAnswer);
  });
});
process.send!({ ready: true });
