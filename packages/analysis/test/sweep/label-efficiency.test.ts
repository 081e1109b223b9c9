import { beforeAll, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { labelEfficiencySchema } from "../../src/results/label-efficiency.ts";
import { labelEfficiency } from "../../src/sweep/label-efficiency.ts";
import { plantedRows } from "./planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

const dataset = plantedRows({
  groups: 100,
  hiddenSize: 16,
  row: ({ row }) => ({ y: row % 2 }),
  signal: ({ feature, columns }) => (feature === 2 ? 1.5 * (columns["y"] as number) : 0),
});
const options = { label: "y", layer: 0, probe: logistic({ C: [0.01, 0.1] }), repeats: 4 };

test("the score grows with the labelled groups, all groups give the cross-validated score", async () => {
  const curve = await labelEfficiency(dataset, { ...options, sizes: [8, 80] });
  expect(curve.points.map(({ groups }) => groups)).toEqual([8, 80]);
  expect(curve.points.map(({ rows }) => rows)).toEqual([16, 160]);
  const [few, all] = curve.points;
  expect(few!.score.value!).toBeLessThan(all!.score.value! - 0.05);
  expect(few!.score.n).toBe(4);
  // Every repeat draws all groups.
  expect(all!.score.high! - all!.score.low!).toBeLessThan(1e-12);
  expect(labelEfficiencySchema.parse(JSON.parse(JSON.stringify(curve)))).toEqual(curve);
  expect(await labelEfficiency(dataset, { ...options, sizes: [8, 80] })).toEqual(curve);
});

test("sizes are what was asked, as near as whole groups allow, and all is all", async () => {
  const { points } = await labelEfficiency(dataset, { ...options, sizes: [9, 10, 11, 13], repeats: 1 });
  expect(points.map(({ groups }) => Math.round(groups * 10))).toEqual([88, 104, 112, 128]);
  const uneven = plantedRows({
    groups: 48,
    row: ({ row, group }) => ({ y: row % 2, group: group < 32 ? "one" : `g${group}` }),
  });
  const curve = await labelEfficiency(uneven, { ...options, repeats: 1 });
  expect(curve.points.at(-1)!.groups).toBeCloseTo((17 * 4) / 5, 12);
  expect(curve.points.at(-1)!.rows).toBeCloseTo((96 * 4) / 5, 12);
});

test("where nothing is planted no number of labels scores above chance", async () => {
  const noise = plantedRows({ groups: 100, hiddenSize: 16, row: ({ random }) => ({ y: random.below(2) }) });
  const { points } = await labelEfficiency(noise, { ...options, sizes: [8, 40], repeats: 8 });
  for (const { score } of points) expect(Math.abs(score.value! - 0.5)).toBeLessThan(0.1);
});

test("sizes that folds do not allow are refused", async () => {
  await expect(labelEfficiency(dataset, { ...options, sizes: [3] })).rejects.toThrow(/need at least 4/);
  await expect(labelEfficiency(dataset, { ...options, sizes: [90] })).rejects.toMatchObject({
    code: "too_few_groups",
  });
  await expect(labelEfficiency(dataset, { ...options, repeat: 5 } as never)).rejects.toThrow(
    /the field repeat/,
  );
});
