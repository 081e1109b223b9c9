import { expect, test } from "vitest";
import { directionAuroc, projectRows } from "../../src/probes/direction-auroc.ts";
import { directionNorm } from "../../src/probes/direction.ts";
import { meanDifference } from "../../src/probes/mean-difference.ts";
import { arrayDataset } from "./sweep-data.ts";

const dataset = arrayDataset({
  hiddenSize: 2,
  layers: [Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8)],
  columns: { truth: [true, false, true, false], group: ["a", "b", "c", "d"] },
});
const broken = { ...dataset, layer: () => Promise.resolve(Float32Array.of(1, 2, 3, NaN, 5, 6, 7, 8)) };
const direction = { layer: 0, vector: [1, 1] };

test("a norm of what is no list of finite numbers is refused", () => {
  expect(directionNorm([3, 4])).toBe(5);
  expect(() => directionNorm([1, NaN])).toThrow(/number 1 is NaN/);
  expect(() => directionNorm([1, Infinity])).toThrow(/finite/);
  expect(() => directionNorm(["1"] as never)).toThrow(/"1"/);
  expect(() => directionNorm(undefined as never)).toThrow(/a list of numbers/);
});

test("a mean of values that are not finite is refused with the row, and so are unknown options", async () => {
  await expect(meanDifference(broken, { label: "truth", layer: 0 })).rejects.toThrow(
    /Row 1, feature 1 of layer 0 is NaN/,
  );
  await expect(meanDifference(dataset, { label: "truth", layer: 0, wher: 1 } as never)).rejects.toThrow(
    /wher/,
  );
  await expect(meanDifference(dataset, undefined as never)).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("projections of values that are not finite, and on what is no direction, are refused", async () => {
  expect([...(await projectRows(broken, direction, [0, 2]))]).toEqual([3, 11]);
  await expect(projectRows(broken, direction, [1])).rejects.toThrow(/Row 1 of layer 0/);
  await expect(projectRows(dataset, { layer: 0, vector: [1, NaN] }, [0])).rejects.toThrow(/finite/);
  await expect(projectRows(dataset, { layer: 0 } as never, [0])).rejects.toThrow(/vector/);
  await expect(projectRows(dataset, direction, [4])).rejects.toThrow(/Row 4 is none of the dataset's 4 rows/);
  await expect(projectRows(dataset, direction, undefined as never)).rejects.toThrow(/rows/);
});

test("directionAuroc refuses unknown options and impossible draws", async () => {
  const scored = await directionAuroc(dataset, direction, { label: "truth", draws: 10 });
  expect(scored.value).toBe(0.25);
  const refused = (options: object) => directionAuroc(dataset, direction, { label: "truth", ...options });
  await expect(refused({ drwas: 5 })).rejects.toThrow(/drwas/);
  await expect(refused({ draws: 0 })).rejects.toThrow(/draws/);
  await expect(directionAuroc(dataset, direction, undefined as never)).rejects.toThrow(/options/);
});
