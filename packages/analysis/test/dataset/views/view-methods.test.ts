import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collect } from "../../../src/collect/collect.ts";
import { viewOf } from "../../../src/dataset/views/view-methods.ts";
import { meanDifference } from "../../../src/probes/mean-difference.ts";
import { freshFolder } from "../../collect/collect-helpers.ts";
import { MemoryLens } from "../../collect/memory-lens.ts";
import { someExamples } from "../../collect/some-examples.ts";
import { memorySource } from "../memory-source.ts";

const collected = async () =>
  collect(new MemoryLens(), someExamples(12), {
    layers: [0, 2],
    select: { last: 2 },
    to: await freshFolder(),
  });

test("select keeps what every dataset has, refuses what is not there", async () => {
  const dataset = await collected();
  const view = await dataset.select({ layers: [2], columns: ["truth"] });
  expect([view.layers, view.columns]).toEqual([[2], ["example", "group", "truth"]]);
  await expect(view.layer(0)).rejects.toMatchObject({ code: "no_such_layer" });
  await expect(view.column("split")).rejects.toMatchObject({ code: "no_such_column" });
  await expect(dataset.select({ layers: [1] })).rejects.toMatchObject({ code: "no_such_layer" });
  await expect(dataset.select({ columns: ["x"] })).rejects.toMatchObject({ code: "no_such_column" });
  await expect(dataset.select({ layers: [] })).rejects.toThrow(
    /select\.layers: \[\]; allowed: a list that is not empty/,
  );
  await expect(dataset.select({ layer: [2] } as object)).rejects.toThrow(
    /select: the field layer; allowed: only layers, columns/,
  );
});

test("what a view writes says where it is from", async () => {
  const dataset = await collected();
  const to = await freshFolder();
  const written = await dataset
    .filter({ truth: true })
    .select({ layers: [2] })
    .write(to);
  const { contentHash, model, checkpoint, selection } = dataset.manifest;
  expect(written.manifest).toMatchObject({
    model,
    checkpoint,
    selection,
    rows: 12,
    origin: { kind: "derived", how: "filter truth = true; select layers 2", from: [contentHash] },
  });
  const empty = dataset.filter({ example: "none" }).write(await freshFolder());
  await expect(empty).rejects.toMatchObject({ code: "no_rows" });
  const copy = await written.take(99).write(await freshFolder());
  expect(await copy.layerBits(2)).toEqual(await written.layerBits(2));
  expect(JSON.parse(await readFile(join(copy.folder, "dataset.json"), "utf8"))).toMatchObject({
    origin: { how: "take 99 rows", from: [written.manifest.contentHash] },
  });
});

test("a probe takes a view for a dataset", async () => {
  const view = await viewOf(memorySource({ rows: 40, dtype: "float32" })).filter({ truth: [true, false] });
  const direction = await meanDifference(view, { label: "truth", layer: 2 });
  expect(direction.n.positive + direction.n.negative).toBe(view.rows);
  await expect(
    meanDifference(await view.filter({ truth: true }), { label: "truth", layer: 2 }),
  ).rejects.toMatchObject({
    code: "one_class",
  });
});

test("bits of float32 rows are refused, as a dataset refuses them", async () => {
  const view = await viewOf(memorySource({ rows: 4, dtype: "float32" })).take(2);
  await expect(view.layerBits(2)).rejects.toMatchObject({ code: "not_16_bit" });
});
