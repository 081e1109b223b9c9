import "@tensorflow/tfjs-backend-wasm";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import {
  attention,
  differenceOfMeans,
  elasticNet,
  kSparse,
  lda,
  linearRegression,
  linearSvm,
  logistic,
  mahalanobisDistance,
  massMeanIid,
  mlp,
  multinomial,
  nearestCentroid,
  pca,
  ridge,
  ridgeClassifier,
  trainProbe,
} from "../../src/index.ts";
import type { Probe } from "../../src/probes/probe.ts";
import { probeMatrix } from "../../src/probes/probe-matrix.ts";
import { standardSpace } from "../../src/probes/convex/standard-space.ts";
import { plantedRows } from "./trained/planted-rows.ts";

beforeAll(async () => {
  await tf.setBackend("wasm");
  await tf.ready();
});

const planted = plantedRows({ rows: 80, shift: 1 });
const { width } = planted;
const labels = Float64Array.from(planted.labels, Number);
const weights = labels.map((_, row) => row % 4);
/** Rows of weight 0 lie far off: a moment that takes them in is another one. */
const values = planted.values.map((value, at) =>
  weights[Math.floor(at / width)] === 0 ? 300 + value : value,
);
const place = (row: number) => values.subarray(row * width, (row + 1) * width);
const drawn = [...labels.keys()].flatMap((row) => new Array<number>(weights[row]!).fill(row));
const repeated = {
  values: Float32Array.from(drawn.flatMap((row) => [...place(row)])),
  width,
  labels: Float64Array.from(drawn, (row) => labels[row]!),
};

function expectClose(own: ArrayLike<number>, other: ArrayLike<number>, share = 1e-4): void {
  const size = Math.max(...Array.from(other, Math.abs));
  expect(own.length).toBe(other.length);
  for (let at = 0; at < own.length; at++) expect(Math.abs(own[at]! - other[at]!)).toBeLessThan(share * size);
}

describe.each<[string, Probe]>([
  ["difference of means", differenceOfMeans()],
  ["nearest centroid", nearestCentroid()],
  ["logistic", logistic({ C: 0.1, tolerance: 1e-12 })],
  ["logistic of balanced classes", logistic({ C: 0.1, tolerance: 1e-12, classWeights: "balanced" })],
  ["linear SVM", linearSvm({ C: 0.1 })],
  ["elastic net", elasticNet({ C: 0.1 })],
  ["ridge", ridge({ standardise: true })],
  ["ridge classifier", ridgeClassifier()],
  ["linear regression", linearRegression()],
  ["PCA", pca()],
  ["mass-mean IID", massMeanIid()],
  ["k-sparse", kSparse({ k: 2, C: 0.1 })],
])("%s", (_, probe) => {
  test("a row of weight 3 is three rows, and one of weight 0 is not there", async () => {
    const included = (rows: number) => ({ included: new Uint8Array(rows).fill(1) });
    const matrix = probeMatrix(values, width);
    const other = probeMatrix(repeated.values, width);
    const [own] = await probe.fitAt(matrix, [{ training: included(80), labels, weights }], undefined);
    const [plain] = await probe.fitAt(
      other,
      [{ training: included(drawn.length), labels: repeated.labels }],
      undefined,
    );
    matrix.dispose();
    other.dispose();
    expectClose([...own!.weights, own!.bias], [...plain!.weights, plain!.bias], 2e-3);
    expectClose(
      drawn.map((row) => own!.scores[row]!),
      plain!.scores,
      2e-3,
    );
  });

  test("a class of rows of weight 0 is refused with its sums", async () => {
    if (probe.target === "number") return;
    const matrix = probeMatrix(values, width);
    const training = { included: new Uint8Array(80).fill(1) };
    const column = { training, labels, weights: labels.map((label) => (label ? 0 : 0.5)) };
    await expect(probe.fitAt(matrix, [column], undefined)).rejects.toMatchObject({
      code: "one_class",
      data: { positives: 0, negatives: 20 },
    });
    matrix.dispose();
  });
});

test("weights of one training set are those of their own column", async () => {
  const matrix = probeMatrix(values, width);
  const training = { included: new Uint8Array(80).fill(1) };
  const halves = weights.map((weight) => weight / 2);
  for (const probe of [logistic({ C: 0.1 }), linearSvm(), differenceOfMeans()]) {
    const columns = [
      { training, labels, weights },
      { training, labels },
      { training, labels, weights: halves },
    ];
    const together = await probe.fitAt(matrix, columns, undefined);
    for (const [k, column] of columns.entries()) {
      const [alone] = await probe.fitAt(matrix, [column], undefined);
      expectClose(together[k]!.weights, alone!.weights, 1e-2);
    }
  }
  matrix.dispose();
});

test("moments of weighted rows are those of the rows repeated", () => {
  const own = standardSpace(values, width, new Uint8Array(80).fill(1), weights).moments;
  const other = standardSpace(repeated.values, width, new Uint8Array(drawn.length).fill(1)).moments;
  expectClose(own.mean, other.mean, 1e-12);
  expectClose(own.inverse, other.inverse, 1e-12);
});

test("multinomial: three classes with weights are those of the rows repeated", async () => {
  const classes = [...labels.keys()].map((row) => "abc"[row % 3]!);
  const probe = multinomial({ C: 0.1 });
  const own = await trainProbe({ values, width, labels: classes, weights }, { probe });
  const other = await trainProbe({ ...repeated, labels: drawn.map((row) => classes[row]!) }, { probe });
  expectClose(own.score(repeated.values), other.score(repeated.values), 1e-2);
  expect(own.toJSON().training.rows).toBe(60);
});

describe.each([
  ["lda", lda()],
  ["Mahalanobis distance", mahalanobisDistance()],
  ["mlp", mlp({ hidden: 3 })],
  ["attention", attention({ heads: 1 })],
] as const)("%s", (_, probe) => {
  const kept = [...labels.keys()].filter((row) => weights[row]! > 0);
  const examples = labels.map((_label, row) => row);

  test("without the rows of weight 0 it is the same probe", async () => {
    const marks = weights.map((weight) => Math.min(weight, 1));
    const own = await trainProbe({ values, width, labels, examples, weights: marks }, { probe });
    const without = {
      values: Float32Array.from(kept.flatMap((row) => [...place(row)])),
      width,
      labels: kept.map((row) => labels[row]!),
      examples: kept,
    };
    expect(own.toJSON()).toEqual((await trainProbe(without, { probe })).toJSON());
  });

  test("all rows, or all of a class, of weight 0 are refused", async () => {
    const train = (own: ArrayLike<number>) =>
      trainProbe({ values, width, labels, examples, weights: own }, { probe });
    await expect(train(new Float64Array(80))).rejects.toMatchObject({ code: "no_rows" });
    await expect(train(labels.map((label) => label / 4))).rejects.toMatchObject({
      code: "one_class",
      message: expect.stringContaining("positive 10, negative 0") as string,
    });
  });
});

test("a class of three without weight is named, and lda in a fit refuses weights of its rows", async () => {
  const classes = [...labels.keys()].map((row) => "abc"[row % 3]!);
  const own = classes.map((name) => (name === "b" ? 0 : 1));
  await expect(
    trainProbe({ values, width, labels: classes, weights: own }, { probe: nearestCentroid() }),
  ).rejects.toThrow(/"a" 27, "b" 0, "c" 26/);
  const matrix = probeMatrix(values, width);
  const column = { training: { included: new Uint8Array(80).fill(1) }, labels, weights };
  await expect(lda().fitAt(matrix, [column], undefined)).rejects.toThrow(/no row weights other than 0 and 1/);
  matrix.dispose();
});

test("rows of one example that weigh differently are refused by attention", async () => {
  const examples = labels.map((_, row) => row >> 2);
  const own = labels.map((_, row) => 1 + (row % 2));
  await expect(
    trainProbe(
      { values, width, labels: examples.map((example) => example % 2), examples, weights: own },
      { probe: attention({ heads: 1 }) },
    ),
  ).rejects.toThrow(/one weight for all rows of a prompt/);
});
