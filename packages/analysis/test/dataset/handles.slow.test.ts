import * as tf from "@tensorflow/tfjs";
import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { layerTensor } from "../../src/dataset/layer-tensor.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "./memory-source.ts";
import { openFiles } from "./open-files.ts";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

/** More than once: what ends in a later turn lets go of its memory only then. */
async function collectGarbage(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    gc();
    await sleep(20);
  }
}

test.runIf(process.platform === "linux")(
  "J6: open files, tensors and memory stay as they are over many opens and reads, also failing ones",
  async () => {
    const [folder, broken] = [await freshFolder(), await freshFolder()];
    const source = memorySource({ rows: 4000, dtype: "float16" });
    for (const to of [folder, broken]) {
      await writeDataset(to, source, { how: "test", from: [], shardRows: 1500 });
    }
    const damaged = await openDataset(broken);
    await truncate(join(broken, "shard-00001.arrow"), 900);
    await rm(join(broken, "shard-00002.arrow"));
    const once = async (): Promise<void> => {
      const dataset = await openDataset(folder);
      const tensor = await layerTensor(dataset, 2);
      tensor.dispose();
      await dataset.column("token");
      // Left in the middle: the shard is closed all the same.
      for await (const block of dataset.layerBlocks(-1, { rows: 7 })) if (block.first > 1600) break;
      for await (const block of dataset.blocks({ rows: 100 })) if (block.rows > 0) break;
      await expect(damaged.layer(2)).rejects.toMatchObject({ code: "shard_corrupt" });
      await expect(damaged.column("token")).rejects.toThrow();
      await expect(openDataset(broken)).rejects.toThrow();
    };
    for (let i = 0; i < 5; i++) await once();
    await collectGarbage();
    const before = {
      tensors: tf.memory().numTensors,
      memory: process.memoryUsage(),
    };
    for (let i = 0; i < 60; i++) {
      await once();
      // Before any garbage is collected: that would close a forgotten file in silence.
      expect(await openFiles([folder, broken])).toEqual([]);
    }
    await collectGarbage();
    const memory = process.memoryUsage();
    expect(tf.memory().numTensors).toBe(before.tensors);
    expect(memory.arrayBuffers - before.memory.arrayBuffers).toBeLessThan(1 << 20);
    expect(memory.heapUsed - before.memory.heapUsed).toBeLessThan(16 << 20);
  },
);
