import { readFile } from "node:fs/promises";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { logistic, type LogisticOptions } from "../../../src/index.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { trainingMoments } from "../../../src/probes/training-moments.ts";

const reference = z.array(z.object({ C: z.number(), coef: z.array(z.number()), intercept: z.number() }));
const fixture = z
  .object({ weights: reference, balanced: reference, noBias: reference })
  .parse(
    JSON.parse(await readFile(new URL("../../../fixtures/logistic-options.json", import.meta.url), "utf8")),
  );

const [rows, width] = [70, 5];
const labels = Uint8Array.from({ length: rows }, (_, row) => Number(row % 7 < 2));
const values = Float32Array.from({ length: rows * width }, (_, at) => {
  const [row, j] = [Math.floor(at / width), at % width];
  return Math.sin(0.61 * (row + 1) * (j + 1)) + (j === 2 ? 0.9 * labels[row]! : 0);
});
const training = { included: new Uint8Array(rows).fill(1) };
const rowWeights = Float64Array.from({ length: rows }, (_, row) => row % 4);

beforeAll(async () => {
  await tf.setBackend("cpu");
});

/** Weights of standardised features, and their bias. */
async function standardFit(options: LogisticOptions, weights?: Float64Array) {
  const matrix = probeMatrix(values, width);
  const column = { training, labels, ...(weights && { weights }) };
  const fits = await logistic({ C: [0.1, 10], tolerance: 1e-12, ...options }).fit(matrix, [column]);
  const [{ mean, inverse }] = trainingMoments(values, width, [{ ...training, weights }]) as [
    ReturnType<typeof trainingMoments>[0],
  ];
  matrix.dispose();
  return fits.map(([fit]) => ({
    coef: fit!.weights.map((weight, j) => weight / inverse[j]!),
    intercept: fit!.bias + fit!.weights.reduce((sum, weight, j) => sum + weight * mean[j]!, 0),
  }));
}

test.each([
  ["row weights", "weights", {}, rowWeights],
  ["balanced classes", "balanced", { classWeights: "balanced" }, undefined],
  ["no bias", "noBias", { bias: false }, undefined],
] as const)(
  "%s: the fit of scikit-learn, to 1e-4 of the largest weight",
  async (_, name, options, weights) => {
    const fits = await standardFit(options, weights);
    fits.forEach(({ coef, intercept }, c) => {
      const expected = fixture[name][c]!;
      const largest = Math.max(...expected.coef.map(Math.abs));
      coef.forEach((weight, j) => expect(Math.abs(weight - expected.coef[j]!)).toBeLessThan(1e-4 * largest));
      expect(Math.abs(intercept - expected.intercept)).toBeLessThan(1e-4 * largest);
    });
  },
);

test("a row of weight 3 counts as three rows", async () => {
  const repeated: number[] = [];
  for (let row = 0; row < rows; row++) for (let time = 0; time < row % 4; time++) repeated.push(row);
  const copies = Float32Array.from(
    repeated.flatMap((row) => [...values.subarray(row * width, (row + 1) * width)]),
  );
  const matrix = probeMatrix(values, width);
  const other = probeMatrix(copies, width);
  const probe = logistic({ C: 0.1, tolerance: 1e-12 });
  const weighted = (await probe.fit(matrix, [{ training, labels, weights: rowWeights }]))[0]![0]!;
  const marks = { included: new Uint8Array(repeated.length).fill(1) };
  const drawn = (
    await probe.fit(other, [{ training: marks, labels: repeated.map((row) => labels[row]!) }])
  )[0]![0]!;
  const largest = Math.max(...drawn.weights.map(Math.abs));
  weighted.weights.forEach((weight, j) =>
    expect(Math.abs(weight - drawn.weights[j]!)).toBeLessThan(1e-5 * largest),
  );
  matrix.dispose();
  other.dispose();
});

test.each([
  [{ C: [] }, /C.*finite numbers above 0/s],
  [{ C: -1 }, /C.*-1.*finite numbers above 0/s],
  [{ C: "1" }, /C.*finite numbers above 0/s],
  [{ c: 1 }, /c.*only C, bias, classWeights, tolerance/s],
  [{ classWeights: "even" }, /classWeights.*"even".*"balanced"/s],
  [{ tolerance: 0 }, /tolerance/],
  [{ bias: 0 }, /bias.*true or false/s],
])("%j is refused", (options, words) => {
  expect(() => logistic(options as LogisticOptions)).toThrow(words);
});

test("the formula says whether there is a bias, and how rows weigh", () => {
  expect(logistic().formula).toContain("x·w + b");
  expect(logistic({ bias: false }).formula).not.toContain("+ b");
  expect(logistic({ bias: false }).bias).toBe("none");
  expect(logistic({ classWeights: "balanced" }).formula).toContain("weight · log");
});
