import fc from "fast-check";
import { expect, test } from "vitest";
import { directionFromJSON, directionNorm, directionToJSON } from "../../src/probes/direction.ts";
import { meanDifference } from "../../src/probes/mean-difference.ts";
import { arrayDataset } from "./sweep-data.ts";

const values = Float32Array.from([1, 0, 3, 0, 10, 4, 12, 6, 1000, 1000]);
const dataset = arrayDataset({
  hiddenSize: 2,
  layers: [values],
  columns: { truth: [false, false, true, true, null] },
});

test("mean difference is mean(true) − mean(false), rows without a label left out", async () => {
  const direction = await meanDifference(dataset, { label: "truth", layer: 0 });
  expect([...direction.vector]).toEqual([9, 5]);
  expect(direction.norm).toBeCloseTo(Math.sqrt(106), 6);
  expect(direction).toMatchObject({
    n: { positive: 2, negative: 2 },
    source: { label: "truth", positive: true },
  });
  expect(direction.method).toMatch(/mean\(positive rows\) − mean\(negative rows\)/);
});

test("where chooses rows", async () => {
  const direction = await meanDifference(dataset, {
    label: "truth",
    layer: 0,
    where: (row) => row === 1 || row === 2,
  });
  expect([...direction.vector]).toEqual([7, 4]);
});

test("a layer that is not there and a single class are refused", async () => {
  await expect(meanDifference(dataset, { label: "truth", layer: 4 })).rejects.toThrow(
    /Layer 4 is not in the dataset/,
  );
  await expect(
    meanDifference(dataset, { label: "truth", layer: 0, where: (row) => row < 2 }),
  ).rejects.toMatchObject({ code: "one_class" });
});

test("JSON gives the same direction, bit for bit", () => {
  fc.assert(
    fc.property(fc.float32Array({ minLength: 1, noNaN: true, noDefaultInfinity: true }), (vector) => {
      const zeroed = vector.map((value) => value + 0);
      const direction = {
        layer: 2,
        vector: zeroed,
        norm: directionNorm(zeroed),
        method: "m",
        n: { positive: 1, negative: 2 },
        source: { label: "l", positive: "yes" },
      };
      const read = directionFromJSON(JSON.parse(JSON.stringify(directionToJSON(direction))));
      expect(read).toEqual(direction);
    }),
  );
});

test("what is no direction is refused by field, and a changed vector by its norm", async () => {
  const json = directionToJSON(await meanDifference(dataset, { label: "truth", layer: 0 }));
  expect(() => directionFromJSON({ ...json, layer: -1 })).toThrow(/layer/);
  expect(() => directionFromJSON({ ...json, vector: [9] })).toThrow(/changed or cut/);
  expect(() => directionFromJSON("x")).toThrow(/no direction/);
});
