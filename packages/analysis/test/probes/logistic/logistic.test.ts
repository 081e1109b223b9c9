import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-wasm";
import { beforeAll, describe, expect, test } from "vitest";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { logistic } from "../../../src/probes/logistic/logistic.ts";
import { fitProbe, scoreRows } from "../../../src/probes/probe-fit.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { cosine } from "../like-sklearn.ts";
import { caseValues, sklearnFixture } from "../sklearn-fixture.ts";

const deviations = (values: Float32Array, width: number) =>
  Array.from({ length: width }, (_, j) => {
    const column = values.filter((_value, at) => at % width === j);
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
    return Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length);
  });

describe.each(["wasm", "cpu"])("on the %s backend", (backend) => {
  beforeAll(async () => {
    await tf.setBackend(backend);
    await tf.ready();
  });

  describe.each(sklearnFixture.cases.map((one) => [one.name, one] as const))("%s", (_, one) => {
    test("equals scikit-learn at every C", async () => {
      const values = caseValues(one);
      const train = one.labels.map((_label, row) => row < one.train);
      const fits = await fitProbe(logistic({ C: one.fits.map((fit) => fit.C), tolerance: 1e-12 }), {
        values,
        width: one.width,
        labels: one.labels,
        train,
      });
      const deviation = deviations(values.subarray(0, one.train * one.width), one.width);
      fits.forEach((fit, i) => {
        const reference = one.fits[i]!;
        expect(Math.abs(fit.objective! / reference.objective - 1)).toBeLessThan(1e-5);
        expect(cosine(fit.weights, reference.coef)).toBeGreaterThan(0.9999);
        // In raw space features of small scale outweigh the rest, so once more per standard deviation.
        const scaled = (weights: ArrayLike<number>) =>
          Array.from(weights, (weight, j) => weight * deviation[j]!);
        expect(cosine(scaled(fit.weights), scaled(reference.coef))).toBeGreaterThan(0.9999);
        const scores = scoreRows(fit, values);
        scores.forEach((score, row) => expect(fit.scores[row]).toBeCloseTo(score, 2));
        const { train: n } = one;
        const trainAuroc = auroc(scores.slice(0, n), one.labels.slice(0, n)).value!;
        const heldOut = auroc(scores.slice(n), one.labels.slice(n)).value!;
        expect(Math.abs(trainAuroc - reference.aurocTrain)).toBeLessThan(1e-4);
        expect(Math.abs(heldOut - reference.aurocHeldOut)).toBeLessThan(1e-4);
      });
    });
  });

  test("leaves no tensor behind", async () => {
    const before = tf.memory().numTensors;
    const one = sklearnFixture.cases[0]!;
    await fitProbe(logistic(), { values: caseValues(one), width: one.width, labels: one.labels });
    expect(tf.memory().numTensors).toBe(before);
  });
});

test("separable classes at a huge C converge to finite weights", async () => {
  const one = sklearnFixture.cases.find((each) => each.name === "separable classes")!;
  const [fit] = await fitProbe(logistic({ C: 1e6 }), {
    values: caseValues(one),
    width: one.width,
    labels: one.labels,
  });
  expect(fit!.converged).toBe(true);
  expect([...fit!.weights, fit!.bias].every(Number.isFinite)).toBe(true);
  expect(auroc(fit!.scores, one.labels).value).toBe(1);
});

test.each([1e20, 1e300])(
  "separable classes at C = %d are refused with gradient norm and iterations",
  async (C) => {
    const one = sklearnFixture.cases.find((each) => each.name === "separable classes")!;
    const fitting = fitProbe(logistic({ C }), {
      values: caseValues(one),
      width: one.width,
      labels: one.labels,
    });
    await expect(fitting).rejects.toMatchObject({
      code: "not_converged",
      message: expect.stringMatching(/gradient norm .* after \d+ steps/) as string,
      data: { C, iterations: expect.any(Number) as number, gradientNorm: expect.any(Number) as number },
    });
  },
);

test("constant features get no weight", async () => {
  const values = Float32Array.from({ length: 40 * 3 }, (_, at) => (at % 3 === 1 ? 12345.678 : Math.sin(at)));
  const labels = Array.from({ length: 40 }, (_, row) => row % 3 === 0);
  const [fit] = await fitProbe(logistic({ C: 10 }), { values, width: 3, labels });
  expect(fit!.weights[1]).toBe(0);
});

test("one class is refused with its counts", async () => {
  const values = new Float32Array(20).map((_, at) => at);
  await expect(
    fitProbe(logistic(), { values, width: 2, labels: new Array(10).fill(1) }),
  ).rejects.toMatchObject({
    code: "one_class",
    data: { positives: 10, negatives: 0 },
  });
});

test("an infinite C is refused, and a value that is not finite is named", async () => {
  expect(() => logistic({ C: Infinity })).toThrow(/finite numbers above 0/);
  const values = new Float32Array(20);
  values[13] = NaN;
  await expect(
    fitProbe(logistic(), { values, width: 2, labels: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1] }),
  ).rejects.toThrow(/Row 6, feature 1 is NaN/);
});

test("held-out rows take no part in the scaler: a planted shift of them changes no weight and lowers their score", async () => {
  const random = createRandom(3, "test");
  const width = 8;
  const labels = Array.from({ length: 120 }, (_, row) => row % 2 === 0);
  const train = labels.map((_, row) => row < 80);
  const values = Float32Array.from({ length: 120 * width }, (_, at) => {
    const row = Math.floor(at / width);
    return random.gaussian() + (at % width === 0 && labels[row] ? 3 : 0);
  });
  const shifted = values.map((value, at) =>
    Math.floor(at / width) >= 80 && at % width === 0 ? value * 9 + 40 : value,
  );
  const [plain] = await fitProbe(logistic(), { values, width, labels, train });
  const [moved] = await fitProbe(logistic(), { values: shifted, width, labels, train });
  for (let j = 0; j < width; j++)
    expect(Math.abs(plain!.weights[j]! - moved!.weights[j]!)).toBeLessThan(1e-3);
  expect(Math.abs(plain!.bias - moved!.bias)).toBeLessThan(1e-3);
  const heldOutAccuracy = (scores: Float64Array) =>
    labels.slice(80).filter((label, i) => scores[80 + i]! > 0 === label).length / 40;
  expect(heldOutAccuracy(plain!.scores)).toBeGreaterThan(0.85);
  expect(heldOutAccuracy(moved!.scores)).toBeLessThan(0.6);
});

test("features that tell nothing converge to no weights", async () => {
  const values = Float32Array.from({ length: 80 * 2 }, (_, at) => (Math.floor(at / 4) % 2) + (at % 2));
  const labels = Array.from({ length: 80 }, (_, row) => row % 2 === 0);
  const [fit] = await fitProbe(logistic(), { values, width: 2, labels });
  expect(fit!.converged).toBe(true);
  fit!.weights.forEach((weight) => expect(Math.abs(weight)).toBeLessThan(1e-4));
});

test.each([1, 300, 1000, 1e4, 1e5])("one feature and many rows: the optimum at C = %d", async (C) => {
  let state = 1;
  const uniform = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const values = Float32Array.from({ length: 200 }, () => uniform() * 4 - 2);
  const labels = [...values].map((value) => uniform() < 1 / (1 + Math.exp(-value)));
  const [fit] = await fitProbe(logistic({ C }), { values, width: 1, labels });
  // scikit-learn 1.9.1, converged (standardised, the scaler folded in).
  const expected = { 1: 1.22547, 300: 1.27793, 1000: 1.27806, 1e4: 1.27812, 1e5: 1.27812 }[C]!;
  expect(fit!.weights[0]).toBeCloseTo(expected, 2);
});

test("ten copies of one feature share its weight", async () => {
  const random = createRandom(8, "copies");
  const one = Float32Array.from({ length: 120 }, () => random.gaussian());
  const labels = [...one].map((value) => value + random.gaussian() > 0);
  const values = Float32Array.from({ length: 1200 }, (_, at) => one[Math.floor(at / 10)]! * (1 + (at % 10)));
  const [single] = await fitProbe(logistic({ C: 30_000 }), { values: one, width: 1, labels });
  const [shared] = await fitProbe(logistic({ C: 3000 }), { values, width: 10, labels });
  const together = shared!.weights.reduce((sum, weight, j) => sum + weight * (1 + j), 0);
  expect(together / single!.weights[0]!).toBeCloseTo(1, 3);
});

test.each([1e-6, 1e-12, 1e-20])(
  "a penalty that outweighs the rows leaves the direction: C = %d",
  async (C) => {
    const one = sklearnFixture.cases[0]!;
    const fit = async (strength: number) =>
      (
        await fitProbe(logistic({ C: strength }), {
          values: caseValues(one),
          width: one.width,
          labels: one.labels,
        })
      )[0]!;
    const [weak, strong] = [await fit(1e-6), await fit(C)];
    expect(cosine(strong.weights, weak.weights)).toBeGreaterThan(0.99999);
    expect(strong.weights[0]! / C / (weak.weights[0]! / 1e-6)).toBeCloseTo(1, 3);
  },
);
