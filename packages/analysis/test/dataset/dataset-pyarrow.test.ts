import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { rowDtypes } from "../../src/shards/row-dtype.ts";
import { freshFolder } from "../collect/collect-helpers.ts";

const fixtures = join(import.meta.dirname, "../../fixtures");

interface Expected {
  columns: Record<string, unknown[]>;
  layers: Record<string, Record<string, { bits: number[]; widened: number[] }>>;
}

const expected = readFile(join(fixtures, "dataset-pyarrow-2", "expected.json"), "utf8").then(
  (text) => JSON.parse(text) as Expected,
);

test.each(rowDtypes)(
  "J1, J2: a dataset of %s by pyarrow is read exactly, nulls wherever they stand",
  async (dtype) => {
    const { columns, layers } = await expected;
    const dataset = await openDataset(join(fixtures, "dataset-pyarrow-2", dtype));
    expect(dataset.columns).toEqual(Object.keys(columns));
    for (const [name, values] of Object.entries(columns)) expect(await dataset.column(name)).toEqual(values);
    expect(dataset.layers).toEqual([-1, 4]);
    for (const layer of dataset.layers) {
      const { bits, widened } = layers[dtype]![layer]!;
      const values = await dataset.layer(layer);
      // The signalling NaN of a float16 becomes a quiet one in NumPy; its other bits are kept.
      expect(Array.from(new Uint32Array(values.buffer), quietened)).toEqual(widened.map(quietened));
      if (dtype !== "float32") expect(Array.from(await dataset.layerBits(layer))).toEqual(bits);
    }
  },
);

test("J3: integers beyond 2^53 stay the texts they were", async () => {
  const dataset = await openDataset(join(fixtures, "dataset-pyarrow-2", "float16"));
  expect((await dataset.column("big id"))[0]).toBe("9007199254740993");
});

test("what pyarrow wrote and this copied is the same to the last bit", async () => {
  for (const dtype of rowDtypes) {
    const source = await openDataset(join(fixtures, "dataset-pyarrow-2", dtype));
    const { contentHash } = source.manifest;
    const copy = await writeDataset(await freshFolder(), source, { how: "copy", from: [contentHash] });
    for (const name of source.columns) expect(await copy.column(name)).toEqual(await source.column(name));
    for (const layer of source.layers) {
      const [ours, theirs] = [await copy.layer(layer), await source.layer(layer)];
      expect(new Uint32Array(ours.buffer)).toEqual(new Uint32Array(theirs.buffer));
    }
  }
});

test("a dataset of version 1 is opened as version 2, with the rows that it had", async () => {
  const dataset = await openDataset(join(fixtures, "dataset-pyarrow"));
  const { manifest } = dataset;
  expect(manifest.schemaVersion).toBe(2);
  expect(manifest.selection).toEqual({ kind: "last", count: 2, area: "all" });
  expect(manifest.origin).toMatchObject({ kind: "collected", plan: { model: "m" } });
  expect(dataset.fields.filter(({ role }) => role === "label").map(({ name }) => name)).toEqual([
    "score",
    "topic",
    "truth",
  ]);
  const copy = await writeDataset(await freshFolder(), dataset, { how: "copy", from: [] });
  for (const layer of dataset.layers)
    expect(await copy.layerBits(layer)).toEqual(await dataset.layerBits(layer));
  for (const name of dataset.columns) expect(await copy.column(name)).toEqual(await dataset.column(name));
});

function quietened(word: number): number {
  const isNaNWord = (word & 0x7f80_0000) === 0x7f80_0000 && (word & 0x7f_ffff) !== 0;
  return isNaNWord ? (word | 0x40_0000) >>> 0 : word >>> 0;
}
