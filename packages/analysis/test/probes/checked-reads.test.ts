import { describe, expect, test } from "vitest";
import { directionAuroc, projectRows } from "../../src/probes/direction-auroc.ts";
import { ridge } from "../../src/probes/linear/ridge.ts";
import { meanDifference } from "../../src/probes/mean-difference.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import { trainProbe } from "../../src/probes/trained/train-probe.ts";
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

describe("of a dataset of one's own", () => {
  const data = dataset();
  const mean = (changed: object, options = {}) =>
    meanDifference({ ...data, ...changed }, { label: "truth", layer: 0, ...options });
  const auroc = (changed: object, layer = 0) =>
    directionAuroc({ ...data, ...changed }, { layer, vector: [1, 2, 3] }, { label: "truth", group: "group" });

  test("a column that is not there is told with those that are", async () => {
    for (const run of [
      mean({}, { label: "none" }),
      trainProbe(data, { probe: ridge(), layer: 0, label: "none" }),
    ])
      await expect(run).rejects.toMatchObject({
        code: "bad_column",
        message: expect.stringMatching(/no list of values for a column none: it has truth, group/) as string,
      });
  });

  test.each([null, undefined, [1, 2, 3], new Float64Array(rows * hiddenSize)])(
    "a layer of %j",
    async (layer) => {
      const changed = { layer: () => Promise.resolve(layer) };
      for (const run of [mean(changed), auroc(changed)])
        await expect(run).rejects.toThrow(/layer\(0\).*a Float32Array \[rows, hiddenSize\]/s);
    },
  );

  test("a layer that it does not name is not read", async () => {
    await expect(auroc({}, 9)).rejects.toThrow("Layer 9 is not in the dataset, which holds 0, 1.");
    await expect(projectRows(data, { layer: 9, vector: [1, 2, 3] }, [0])).rejects.toThrow(/Layer 9 is not/);
  });

  test("what is no dataset is told", async () => {
    for (const none of [null, 5, { ...data, layer: 1 }]) {
      await expect(meanDifference(none as never, { label: "truth", layer: 0 })).rejects.toThrow(/dataset/);
      const run = directionAuroc(none as never, { layer: 0, vector: [1, 2, 3] }, { label: "truth" });
      await expect(run).rejects.toThrow(/dataset/);
    }
  });

  test("whole numbers of int64 columns are numbers", async () => {
    const of = (kinds: number) => ({
      column: () => Promise.resolve(Array.from({ length: rows }, (_, row) => BigInt(row % kinds))),
    });
    expect((await mean(of(2))).source.positive).toBe(1);
    await expect(mean(of(3), { positive: 1 })).rejects.toThrow(/holds 3 values/);
    await expect(mean(of(3))).rejects.toThrow(/holds 0, 1, 2: say which/);
    const large = { column: () => Promise.resolve(Array.from({ length: rows }, () => 2n ** 60n)) };
    await expect(mean(large)).rejects.toThrow(/holds 1152921504606846976n: a class is/);
  });
});
