import { expect, test } from "vitest";
import { directionAuroc, projectRows } from "../../src/probes/direction-auroc.ts";
import type { SweepDataset } from "../../src/probes/sweep-rows.ts";

/** Six rows of width 2, three groups of two rows; the first number tells the label but for row 3. */
const values = Float32Array.from([1, 9, -1, 8, 2, 7, 3, 6, 4, 5, -4, 4]);
const columns: Record<string, unknown[]> = {
  truth: [true, false, true, false, true, false],
  group: ["a", "a", "b", "b", "c", "c"],
};
const dataset: SweepDataset = {
  rows: 6,
  layers: [7],
  hiddenSize: 2,
  columns: Object.keys(columns),
  column: (name) => Promise.resolve(columns[name]!),
  layer: () => Promise.resolve(values),
};

test("projects rows on the direction in their own space", async () => {
  const scores = await projectRows(dataset, { layer: 7, vector: [2, -1] }, [0, 5]);
  expect([...scores]).toEqual([2 * 1 - 9, 2 * -4 - 4]);
});

test("AUROC counts the pairs in order, with an interval over groups", async () => {
  // positives 1, 2, 4; negatives -1, 3, -4: of nine pairs, 1 < 3 and 2 < 3 are in the wrong order.
  const estimate = await directionAuroc(
    dataset,
    { layer: 7, vector: [1, 0] },
    { label: "truth", draws: 200 },
  );
  expect(estimate.value).toBeCloseTo(7 / 9, 12);
  expect(estimate.groups).toBe(3);
  expect(estimate.low!).toBeLessThan(estimate.value!);
  const flipped = await directionAuroc(
    dataset,
    { layer: 7, vector: [-1, 0] },
    { label: "truth", draws: 200 },
  );
  expect(flipped.value).toBeCloseTo(2 / 9, 12);
});

test("only the chosen rows count", async () => {
  const estimate = await directionAuroc(
    dataset,
    { layer: 7, vector: [1, 0] },
    { label: "truth", where: (row) => row < 2 },
  );
  expect(estimate).toMatchObject({ value: 1, n: 2, groups: 1 });
});

test("a direction of another width is refused", async () => {
  await expect(
    directionAuroc(dataset, { layer: 7, vector: [1, 0, 0] }, { label: "truth" }),
  ).rejects.toMatchObject({
    code: "wrong_width",
  });
});
