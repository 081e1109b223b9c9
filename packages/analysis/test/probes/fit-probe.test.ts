import * as tf from "@tensorflow/tfjs";
import { beforeAll, expect, test } from "vitest";
import { fitProbe, linearRegression, logistic, massMeanIid, ridge, trainProbe } from "../../src/index.ts";
import { plantedRows } from "./trained/planted-rows.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
});

const rows = plantedRows();

test("a regression reads numbers as they are: negative, broken, beyond 255", async () => {
  const labels = rows.labels.map((_, row) => rows.values[row * rows.width]! * 300 - 0.7);
  for (const probe of [linearRegression(), ridge({ lambda: 1e-3 })]) {
    const [fit] = await fitProbe(probe, { ...rows, labels });
    [300, 0, 0, 0, 0].forEach((weight, j) => expect(Math.abs(fit!.weights[j]! - weight)).toBeLessThan(0.02));
    expect(Math.abs(fit!.bias + 0.7)).toBeLessThan(0.02);
  }
});

test.each([256, -1, 0.5, 2, null, "1", NaN, 1n])("a label %s is no class", async (label) => {
  const labels = rows.labels.map((own, row) => (row === 7 ? (label as number) : own));
  await expect(fitProbe(logistic(), { ...rows, labels })).rejects.toMatchObject({
    code: "bad_label",
    data: { row: 7 },
  });
  // Labels of rows that take no part are not read.
  const train = labels.map((_, row) => row !== 7);
  await expect(fitProbe(logistic(), { ...rows, labels, train })).resolves.toHaveLength(1);
});

test.each([null, NaN, Infinity, "3"])("a label %s is no number", async (label) => {
  const labels = rows.labels.map((_, row) => (row === 7 ? (label as number) : row));
  await expect(fitProbe(ridge(), { ...rows, labels })).rejects.toMatchObject({ code: "bad_label" });
});

test.each([256, "0", null])("a train mark %s is refused", async (mark) => {
  const train = rows.labels.map((_, row) => (row === 7 ? (mark as number) : 1));
  await expect(fitProbe(logistic(), { ...rows, train })).rejects.toThrow(/train\[7\].*true or 1/);
});

test("mass-mean IID says when its tolerance leaves no eigenvalue, and takes a lower one", async () => {
  for (const width of [5, 70]) {
    const own = plantedRows({ width });
    const small = { ...own, values: own.values.map((value) => value * 0.01) };
    await expect(trainProbe(small, { probe: massMeanIid() })).rejects.toMatchObject({
      code: "not_positive_definite",
      message: expect.stringContaining("lower tolerance") as string,
    });
    const probe = await trainProbe(small, { probe: massMeanIid({ tolerance: 1e-7 }) });
    const large = await trainProbe(own, { probe: massMeanIid({ tolerance: 1e-3 }) });
    probe
      .score(small.values)
      .forEach((score, row) => expect(score).toBeCloseTo(large.score(own.values)[row]!, 1));
  }
});
