import * as tf from "@tensorflow/tfjs";
import { describe, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { layerTensor } from "../../src/dataset/layer-tensor.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { rowDtypes } from "../../src/shards/row-dtype.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "./memory-source.ts";

const derived = { how: "test", from: [] };

describe.each(["cpu", "wasm"] as const)("on %s", (name) => {
  test.each(rowDtypes)("a layer of %s becomes a tensor, bit for bit", async (dtype) => {
    const backend = await useBackend({ prefer: name });
    expect(backend.name).toBe(name);
    const source = memorySource({ rows: 300, dtype });
    const dataset = await writeDataset(await freshFolder(), source, { ...derived, shardRows: 70 });
    const before = tf.memory().numTensors;
    for (const [from, layer] of [
      [dataset, 2],
      // A copy of the methods is another source, and read as one.
      [{ ...dataset, layer: (layer: number) => source.layer(layer) }, 2],
      [source, -1],
    ] as const) {
      const tensor = await layerTensor(from, layer);
      expect([tensor.shape, tensor.dtype]).toEqual([[300, 4], "float32"]);
      const expected = await source.layer(layer);
      expect(new Uint32Array((await tensor.data()).slice().buffer)).toEqual(new Uint32Array(expected.buffer));
      tensor.dispose();
    }
    await expect(layerTensor(dataset, 7)).rejects.toMatchObject({ code: "no_such_layer" });
    expect(tf.memory().numTensors).toBe(before);
  });

  test("what the backend has no room for is refused before anything is read", async () => {
    await useBackend({ prefer: name });
    const source = { ...memorySource({ rows: 3, dtype: "float32" }), rows: 2 ** 30 };
    await expect(layerTensor(source, 2)).rejects.toMatchObject({ code: "layer_too_large" });
  });
});
