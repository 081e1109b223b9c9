import { describe, expect, test } from "vitest";
import { directionAuroc } from "../../src/probes/direction-auroc.ts";
import { meanDifference } from "../../src/probes/mean-difference.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import type { SweepDataset } from "../../src/probes/sweep-rows.ts";

const [rows, hiddenSize] = [40, 3];

function dataset({ numbers = rows * hiddenSize, labels = rows, groups = rows } = {}): SweepDataset {
  const columns: Readonly<Record<string, unknown[]>> = {
    truth: Array.from({ length: labels }, (_, row) => row % 2 === 0),
    group: Array.from({ length: groups }, (_, row) => `g${row >> 1}`),
  };
  return {
    rows,
    hiddenSize,
    layers: [0, 1],
    columns: Object.keys(columns),
    column: (name) => Promise.resolve(columns[name]!),
    layer: () => Promise.resolve(new Float32Array(numbers).map((_, i) => Math.sin(i))),
  };
}

const everyWay = {
  "a sweep here": (data: SweepDataset) => sweepLayers(data, { label: "truth", group: "group", workers: 0 }),
  "a sweep of some rows": (data: SweepDataset) =>
    sweepLayers(data, { label: "truth", group: "group", workers: 0, where: (row) => row < 30 }),
  "a sweep in a worker": (data: SweepDataset) =>
    sweepLayers(data, { label: "truth", group: "group", workers: 1 }),
  meanDifference: (data: SweepDataset) => meanDifference(data, { label: "truth", layer: 0 }),
  directionAuroc: (data: SweepDataset) =>
    directionAuroc(data, { layer: 0, vector: [1, 2, 3] }, { label: "truth", group: "group" }),
};

describe.each(Object.entries(everyWay))("%s refuses what is not the dataset's rows", (_, run) => {
  test.each([rows * hiddenSize - 60, rows * hiddenSize - 1, rows * hiddenSize + 3])(
    "a layer of %i numbers",
    async (numbers) => {
      await expect(run(dataset({ numbers }))).rejects.toMatchObject({
        code: "wrong_width",
        message: `Layer 0 has ${numbers} numbers, and 40 rows of hiddenSize 3 are 120.`,
      });
    },
  );

  test.each([30, 41])("labels of %i rows", async (labels) => {
    await expect(run(dataset({ labels }))).rejects.toMatchObject({
      code: "bad_column",
      message: `Column truth has ${labels} values, and the dataset 40 rows: give null where a row has none.`,
    });
  });
});

test("NaN is no class: its rows are left out, and a value that no row has is named", async () => {
  const truth = Array.from({ length: rows }, (_, row) => (row < 6 ? Number.NaN : row % 2));
  const data: SweepDataset = {
    ...dataset(),
    column: (name) => (name === "truth" ? Promise.resolve(truth) : dataset().column(name)),
  };
  const { n } = await meanDifference(data, { label: "truth", layer: 0 });
  expect(n).toEqual({ positive: 17, negative: 17 });
  const { notes } = await sweepLayers(data, { label: "truth", group: "group", workers: 0 });
  expect(notes).toContain("6 rows without a value of truth were left out.");
  await expect(meanDifference(data, { label: "truth", layer: 0, positive: "zz" })).rejects.toThrow(
    'positive is "zz", and label truth holds 0, 1.',
  );
});

test("groups of fewer rows are refused, and a layer that is named twice is swept once", async () => {
  await expect(everyWay["a sweep here"](dataset({ groups: 39 }))).rejects.toMatchObject({
    code: "bad_column",
  });
  const { layers } = await sweepLayers(dataset(), {
    label: "truth",
    group: "group",
    layers: [1, 1, 0, 1],
    workers: 0,
  });
  expect(layers.map(({ layer }) => layer)).toEqual([1, 0]);
});
