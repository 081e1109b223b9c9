import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-wasm";
import { beforeAll, describe, expect, test } from "vitest";
import { kSparse } from "../../../src/probes/linear/k-sparse.ts";
import { lda } from "../../../src/probes/linear/lda.ts";
import { ledoitWolfShrinkage } from "../../../src/probes/linear/ledoit-wolf.ts";
import { linearRegression } from "../../../src/probes/linear/linear-regression.ts";
import { mahalanobisDistance } from "../../../src/probes/linear/mahalanobis-distance.ts";
import { massMeanIid } from "../../../src/probes/linear/mass-mean-iid.ts";
import { nearestCentroid } from "../../../src/probes/linear/nearest-centroid.ts";
import { pca } from "../../../src/probes/linear/pca.ts";
import { ridge, ridgeClassifier } from "../../../src/probes/linear/ridge.ts";
import type { Probe, ProbeFit } from "../../../src/probes/probe.ts";
import { scoreRows } from "../../../src/probes/probe-fit.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { cosine } from "../like-sklearn.ts";
import { linearCases, linearValues, type LinearCase, type LinearReference } from "./linear-fixture.ts";

beforeAll(async () => {
  await tf.setBackend("wasm");
  await tf.ready();
});

/** All columns of one training set: the first `train` rows. */
async function fit(
  probe: Probe,
  one: LinearCase,
  labels: ArrayLike<number>,
  weights?: Float64Array,
): Promise<ProbeFit[]> {
  const matrix = probeMatrix(linearValues(one), one.width);
  try {
    const training = { included: Uint8Array.from(one.labels, (_, row) => (row < one.train ? 1 : 0)) };
    const fits = await probe.fit(matrix, [{ training, labels, ...(weights && { weights }) }]);
    return fits.map(([own]) => own!);
  } finally {
    matrix.dispose();
  }
}

/** Coefficients by cosine, once per standard deviation too (in raw space features of small scale outweigh the rest), and scores. */
function expectEqual(own: ProbeFit, reference: LinearReference, one: LinearCase): void {
  const values = linearValues(one);
  expect(own.converged).toBe(true);
  expect(cosine(own.weights, reference.weights)).toBeGreaterThan(0.9999);
  const deviation = deviations(values, one);
  const scaled = (weights: ArrayLike<number>) => Array.from(weights, (weight, j) => weight * deviation[j]!);
  expect(cosine(scaled(own.weights), scaled(reference.weights))).toBeGreaterThan(0.9999);
  const scores = scoreRows(own, values);
  const expected = scoreRows({ weights: Float64Array.from(reference.weights), bias: reference.bias }, values);
  expect(distance(scores, expected)).toBeLessThan(1e-5);
  expect(distance(own.scores, expected)).toBeLessThan(1e-5);
  if (reference.aurocTrain === undefined) return;
  const n = one.train;
  expect(auroc(scores.slice(0, n), one.labels.slice(0, n)).value).toBeCloseTo(reference.aurocTrain, 4);
  expect(auroc(scores.slice(n), one.labels.slice(n)).value).toBeCloseTo(reference.aurocHeldOut!, 4);
}

/** ‖a − b‖ / ‖b‖. */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [difference, size] = [0, 0];
  for (let i = 0; i < b.length; i++) {
    difference += (a[i]! - b[i]!) ** 2;
    size += b[i]! ** 2;
  }
  return Math.sqrt(difference / size);
}

function deviations(values: Float32Array, { width, train }: LinearCase): number[] {
  return Array.from({ length: width }, (_, j) => {
    const column = Array.from({ length: train }, (_row, row) => values[row * width + j]!);
    const mean = column.reduce((sum, value) => sum + value, 0) / train;
    return Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / train);
  });
}

describe.each(linearCases.map((one) => [one.name, one] as const))("%s", (_, one) => {
  test("ridge regression equals scikit-learn's at every λ, standardised, and with row weights", async () => {
    const lambda = one.ridges.map((each) => each.lambda);
    const weights = Float64Array.from(one.weights);
    const plain = await fit(ridge({ lambda }), one, one.target);
    const standardised = await fit(ridge({ lambda, standardise: true }), one, one.target);
    const weighed = await fit(ridge({ lambda }), one, one.target, weights);
    one.ridges.forEach((reference, l) => {
      expectEqual(plain[l]!, reference.plain, one);
      expectEqual(standardised[l]!, reference.standardised, one);
      expectEqual(weighed[l]!, reference.weighed, one);
    });
  });

  test("the ridge classifier equals scikit-learn's", async () => {
    const lambda = one.ridges.map((each) => each.lambda);
    const fits = await fit(ridgeClassifier({ lambda }), one, one.labels);
    one.ridges.forEach((reference, l) => expectEqual(fits[l]!, reference.classifier, one));
  });

  test("LDA with Ledoit–Wolf shrinkage equals scikit-learn's lsqr (P15)", async () => {
    const [own] = await fit(lda(), one, one.labels);
    expectEqual(own!, one.lda, one);
    expect(Math.abs(own!.bias / one.lda.bias - 1)).toBeLessThan(1e-5);
    const [fixed] = await fit(lda({ shrinkage: 0.3 }), one, one.labels);
    expectEqual(fixed!, one.ldaFixed, one);
  });

  test("LDA of three classes ranks rows as scikit-learn's", async () => {
    const { width, train } = one;
    const values = linearValues(one);
    const probe = await trainProbe(
      { values: values.slice(0, train * width), width, labels: one.classes.slice(0, train) },
      { probe: lda() },
    );
    const scores = probe.score(values);
    const centred = scores.map((score, at) => {
      const start = at - (at % 3);
      return score - (scores[start]! + scores[start + 1]! + scores[start + 2]!) / 3;
    });
    expect(distance(centred, one.ldaClasses)).toBeLessThan(1e-5);
  });

  test("the first component equals scikit-learn's, up to its sign", async () => {
    const [own] = await fit(pca(), one, one.labels);
    expect(own!.converged).toBe(true);
    expect(Math.abs(cosine(own!.weights, one.pca))).toBeGreaterThan(1 - 1e-9);
  });

  test("the nearest centroid of three classes equals scikit-learn's", async () => {
    const { width, train } = one;
    const values = linearValues(one);
    const rows = { values: values.slice(0, train * width), width, labels: one.classes.slice(0, train) };
    const scores = (await trainProbe(rows, { probe: nearestCentroid() })).score(values);
    const predicted = one.classes.map((_label, row) => {
      const own = scores.subarray(3 * row, 3 * row + 3);
      return own.indexOf(Math.max(...own));
    });
    expect(predicted).toEqual(one.centroids);
  });

  test("mass-mean in its IID form equals the formula of its source", async () => {
    const [own] = await fit(massMeanIid(), one, one.labels);
    expectEqual(own!, one.massMeanIid, one);
  });

  test("Ledoit–Wolf's shrinkage and the distance from the negative rows equal scikit-learn's and NumPy's", async () => {
    const { width, train } = one;
    const values = linearValues(one);
    const rows = {
      values: values.slice(0, train * width),
      width,
      labels: one.labels.slice(0, train),
    };
    const probe = await trainProbe(rows, { probe: mahalanobisDistance() });
    expect(distance(probe.score(values), one.distance)).toBeLessThan(1e-5);
    const negatives = one.labels.flatMap((label, row) => (label === 0 && row < train ? [row] : []));
    const scaled = standardised(values, width, negatives);
    expect(await ledoitWolfShrinkage(scaled, width)).toBeCloseTo(one.shrinkage, 5);
  });

  test("linear regression equals scikit-learn's, and is refused where rows do not determine it", async () => {
    if (one.linear) expectEqual((await fit(linearRegression(), one, one.target))[0]!, one.linear, one);
    else {
      await expect(fit(linearRegression(), one, one.target)).rejects.toMatchObject({
        code: "not_positive_definite",
        message: expect.stringMatching(/Take ridge/) as string,
      });
    }
  });
});

test.each(linearCases.filter(({ name }) => name.includes("constant")).map((one) => [one.name, one] as const))(
  "a constant feature gets no weight, whatever the others' scale (P8): %s",
  async (_, one) => {
    const probes = [
      ridgeClassifier(),
      ridgeClassifier({ standardise: true }),
      lda(),
      pca(),
      kSparse({ k: 4 }),
    ];
    for (const probe of probes) {
      const [own] = await fit(probe, one, one.labels);
      expect(Math.abs(own!.weights[2]!)).toBeLessThan(1e-12);
      expect(own!.weights.every(Number.isFinite)).toBe(true);
    }
  },
);

function standardised(values: Float32Array, width: number, rows: readonly number[]): Float32Array {
  const scaled = new Float32Array(rows.length * width);
  for (let j = 0; j < width; j++) {
    const column = rows.map((row) => values[row * width + j]!);
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
    const deviation = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length);
    column.forEach((value, i) => (scaled[i * width + j] = deviation > 1e-9 ? (value - mean) / deviation : 0));
  }
  return scaled;
}
