import { join } from "node:path";
import { expect, test } from "vitest";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { rowDtypes } from "../../src/shards/row-dtype.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "./memory-source.ts";

const derived = { how: "test", from: [] };

test.each(rowDtypes)("rows of %s come back bit for bit, with every kind of column", async (dtype) => {
  const source = memorySource({ rows: 23, dtype });
  const dataset = await writeDataset(await freshFolder(), source, { ...derived, shardRows: 5 });
  await dataset.validate();
  expect(dataset.manifest.shards.length).toBeGreaterThan(2);
  for (const name of source.columns) expect(await dataset.column(name)).toEqual(await source.column(name));
  for (const layer of source.layers) expect(await dataset.layer(layer)).toEqual(await source.layer(layer));
});

test("row blocks are the rows, whatever their size", async () => {
  const source = memorySource({ rows: 23, dtype: "float32" });
  const dataset = await writeDataset(await freshFolder(), source, { ...derived, shardRows: 7 });
  const whole = await source.layer(2);
  for (const rows of [1, 2, 5, 100]) {
    for await (const { first, numbers } of dataset.layerBlocks(2, { rows })) {
      expect(numbers).toEqual(whole.slice(first * 4, first * 4 + numbers.length));
    }
  }
});

test.each([0, -1, 1.5, Number.NaN])("blocks of %f rows are refused, not made for ever", async (rows) => {
  const source = memorySource({ rows: 3, dtype: "float32" });
  const dataset = await writeDataset(await freshFolder(), source, derived);
  await expect(dataset.layerBlocks(2, { rows })[Symbol.asyncIterator]().next()).rejects.toThrow(/rows/);
  await expect(dataset.blocks({ rows })[Symbol.asyncIterator]().next()).rejects.toThrow(/integer from 1/);
});

test("a folder that holds a dataset is left as it is", async () => {
  const folder = await freshFolder();
  const source = memorySource({ rows: 3, dtype: "bfloat16" });
  const { manifest } = await writeDataset(folder, source, derived);
  await expect(writeDataset(folder, source, derived)).rejects.toMatchObject({ code: "dataset_differs" });
  expect((await openDataset(folder)).manifest).toEqual(manifest);
  const none = memorySource({ rows: 0, dtype: "bfloat16" });
  await expect(writeDataset(join(folder, "none"), none, derived)).rejects.toMatchObject({ code: "no_rows" });
});
