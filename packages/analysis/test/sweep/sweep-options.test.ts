import { beforeAll, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { ridge } from "../../src/probes/linear/ridge.ts";
import type { SweepOptions } from "../../src/sweep/sweep-options.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import { plantedRows } from "./planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

const dataset = plantedRows({
  groups: 24,
  row: ({ row }) => ({ y: row % 3, split: row < 36 ? "train" : "test" }),
});
const sweep = (options: unknown) => sweepLayers(dataset, options as SweepOptions);
const fast = { label: "y", draws: 20, shuffles: 2, randomDirections: 2, probes: [differenceOfMeans()] };

test("options that are missing, unknown or of another type are told by name", async () => {
  await expect(sweep(undefined)).rejects.toMatchObject({ code: "invalid_request" });
  await expect(sweep({})).rejects.toThrow(/label: nothing; allowed: a text/);
  await expect(sweep({ ...fast, shufles: 3 })).rejects.toThrow(/the field shufles/);
  await expect(sweep({ ...fast, folds: "5" })).rejects.toThrow(/folds: "5"; allowed: a finite number/);
  await expect(sweep({ ...fast, draws: 0 })).rejects.toThrow(/draws: 0; allowed: a number of at least 1/);
  await expect(sweep({ ...fast, probes: [] })).rejects.toThrow(
    /probes: \[\]; allowed: a list that is not empty/,
  );
  await expect(sweep({ ...fast, probes: ["logistic"] })).rejects.toThrow(/a probe, such as logistic\(\)/);
  await expect(sweep({ ...fast, where: 5 })).rejects.toThrow(
    /where: 5; allowed: a function of a row's number, or/,
  );
  await expect(sweep({ ...fast, where: {} })).rejects.toThrow(/at least one column/);
  await expect(sweep({ ...fast, seed: Number.NaN })).rejects.toThrow(/seed/);
});

test("where takes values, so that two of three classes are swept", async () => {
  const two = await sweep({ ...fast, where: { y: [0, 1] } });
  expect(two).toMatchObject({ task: "binary", n: 32, counts: [16, 16], positive: 1 });
  const three = await sweep({ ...fast });
  expect(three).toMatchObject({ task: "classes", n: 48, counts: [16, 16, 16], classes: [0, 1, 2] });
  const some = await sweep({ ...fast, where: { y: [0, 1], split: "train" } });
  expect(some.n).toBe(24);
  await expect(sweep({ ...fast, where: { split: "trian" } })).rejects.toMatchObject({ code: "no_rows" });
});

test("probes of two kinds do not go together, and numbers without probes are numbers", async () => {
  await expect(sweep({ ...fast, probes: [differenceOfMeans(), ridge()] })).rejects.toThrow(
    /give probes of one kind/,
  );
  const { probes: _none, ...usual } = fast;
  const numbers = await sweep(usual);
  expect(numbers).toMatchObject({ task: "number", score: "r2" });
  expect(numbers.layers[0]!.probes.map(({ probe }) => probe)).toEqual(["ridge"]);
});
