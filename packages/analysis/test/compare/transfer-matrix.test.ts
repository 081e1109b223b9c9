import { beforeAll, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { transferMatrix } from "../../src/compare/transfer-matrix.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { transferMatrixSchema } from "../../src/results/transfer-matrix.ts";
import { plantedRows } from "../sweep/planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

/** The label lies along feature 0, or with the other sign, or along feature 1. */
function dataset(name: string, { feature: own, sign }: { feature: number; sign: number }, group = name) {
  return plantedRows({
    groups: 50,
    seed: name.length,
    row: ({ row, group: g }) => ({ y: row % 2, group: `${group} ${g}` }),
    signal: ({ feature, columns }) => (feature === own ? sign * 3 * (columns["y"] as number) : 0),
  });
}
const datasets = {
  same: dataset("same", { feature: 0, sign: 1 }),
  alike: dataset("alike!", { feature: 0, sign: 1 }),
  turned: dataset("turned!!", { feature: 0, sign: -1 }),
  other: dataset("other!!!!", { feature: 1, sign: 1 }),
};
const options = { label: "y", layer: 0, probe: logistic({ C: [0.01, 0.1] }), draws: 200 };

test("a probe carries over where the label lies alike, turns round where it is turned, and is chance where it lies elsewhere", async () => {
  const matrix = await transferMatrix(datasets, options);
  const at = (train: string, test: string) =>
    matrix.cells.find((cell) => cell.train === train && cell.test === test)!;
  expect(matrix.cells).toHaveLength(16);
  expect(matrix.cells.filter(({ diagonal }) => diagonal).map(({ train, test }) => train === test)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  for (const name of Object.keys(datasets)) expect(at(name, name).score.value!).toBeGreaterThan(0.9);
  expect(at("same", "alike").score.low!).toBeGreaterThan(0.8);
  expect(at("same", "turned").score.high!).toBeLessThan(0.2);
  expect(Math.abs(at("same", "other").score.value! - 0.5)).toBeLessThan(0.2);
  expect(at("same", "alike")).toMatchObject({ diagonal: false, trained: 100, leftOut: 0 });
  expect(transferMatrixSchema.parse(JSON.parse(JSON.stringify(matrix)))).toEqual(matrix);
  expect(await transferMatrix(datasets, options)).toEqual(matrix);
});

test("groups in both datasets are refused, or left out of training and counted", async () => {
  const shared = {
    one: dataset("one", { feature: 0, sign: 1 }, "city"),
    two: dataset("three", { feature: 0, sign: 1 }, "city"),
  };
  await expect(transferMatrix(shared, options)).rejects.toMatchObject({ code: "shared_groups" });
  const some = plantedRows({
    groups: 50,
    seed: 9,
    row: ({ row, group }) => ({ y: row % 2, group: group < 10 ? `city ${group}` : `own ${group}` }),
    signal: ({ feature, columns }) => (feature === 0 ? 3 * (columns["y"] as number) : 0),
  });
  const left = await transferMatrix({ one: shared.one, some }, { ...options, shared: "leave-out" });
  const cell = left.cells.find(({ train, test }) => train === "one" && test === "some")!;
  expect(cell).toMatchObject({ trained: 80, leftOut: 20 });
  expect(left.notes.join()).toMatch(/one to some: 20 rows of one were left out/);
});

test("what cannot be compared is told", async () => {
  const narrow = plantedRows({
    groups: 20,
    hiddenSize: 4,
    row: ({ row, group }) => ({ y: row % 2, group: `n${group}` }),
  });
  await expect(transferMatrix({ same: datasets.same, narrow }, options)).rejects.toMatchObject({
    code: "wrong_width",
  });
  await expect(transferMatrix({ same: datasets.same }, options)).rejects.toThrow(
    /at least two datasets by name/,
  );
  await expect(transferMatrix(datasets, { ...options, layers: [0] } as never)).rejects.toThrow(
    /the field layers/,
  );
});
