import { expect, test } from "vitest";
import { columnOf, layerOf } from "../../src/probes/checked-reads.ts";

test("a column that is not there, and a layer that is no Float32Array, are named", async () => {
  const absent = { rows: 2, column: () => Promise.resolve(undefined as never) };
  await expect(columnOf(absent, "truth")).rejects.toThrow("The dataset has no column truth");
  const plain = { rows: 2, hiddenSize: 1, layer: () => Promise.resolve([1, 2] as never) };
  await expect(layerOf(plain, 3)).rejects.toThrow(/Layer 3 came as \[1,2\]: layer\(\) gives a Float32Array/);
});
