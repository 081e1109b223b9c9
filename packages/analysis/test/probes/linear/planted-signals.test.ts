import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-cpu";
import { beforeAll, describe, expect, test } from "vitest";
import { kSparse } from "../../../src/probes/linear/k-sparse.ts";
import { lda, mahalanobis } from "../../../src/probes/linear/lda.ts";
import { mahalanobisDistance } from "../../../src/probes/linear/mahalanobis-distance.ts";
import { massMeanIid } from "../../../src/probes/linear/mass-mean-iid.ts";
import { nearestCentroid } from "../../../src/probes/linear/nearest-centroid.ts";
import { pca } from "../../../src/probes/linear/pca.ts";
import { pcaOfDifferences } from "../../../src/probes/linear/pca-of-differences.ts";
import { ridge, ridgeClassifier } from "../../../src/probes/linear/ridge.ts";
import { recipeOf } from "../../../src/probes/known-probe.ts";
import type { Probe } from "../../../src/probes/probe.ts";
import { probeFromRecipe } from "../../../src/probes/probe-from-recipe.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import { probeFromJSON } from "../../../src/probes/trained/probe-json.ts";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { cosine } from "../like-sklearn.ts";
import { plantedRows } from "../trained/planted-rows.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
});

const linear: [string, () => Probe][] = [
  ["ridge classifier", ridgeClassifier],
  ["standardised ridge", () => ridgeClassifier({ standardise: true })],
  ["LDA", lda],
  ["Mahalanobis", mahalanobis],
  ["nearest centroid", nearestCentroid],
  ["mass-mean IID", massMeanIid],
  ["PCA", pca],
  ["k-sparse", () => kSparse({ k: 3 })],
  ["k-sparse by logistic weights", () => kSparse({ k: 3, select: "logistic" })],
];
const rows = plantedRows({ rows: 120, width: 8, shift: 4 });
const train = rows.labels.map((_, row) => (row < 80 ? 1 : 0));

async function fitOn(probe: Probe, values: Float32Array) {
  const matrix = probeMatrix(values, rows.width);
  try {
    const labels = Uint8Array.from(rows.labels, Number);
    const [[fit]] = (await probe.fit(matrix, [
      { training: { included: Uint8Array.from(train) }, labels },
    ])) as [[Awaited<ReturnType<Probe["fitAt"]>>[number]]];
    return fit;
  } finally {
    matrix.dispose();
  }
}

describe.each(linear)("%s", (_, make) => {
  test("finds the planted feature, and scores the positive class higher", async () => {
    const fit = await fitOn(make(), rows.values);
    expect(fit.converged).toBe(true);
    expect(cosine(fit.weights, [1, 0, 0, 0, 0, 0, 0, 0])).toBeGreaterThan(0.85);
    const heldOut = fit.scores.slice(80);
    expect(auroc(heldOut, rows.labels.slice(80)).value).toBeGreaterThan(0.95);
    const right = rows.labels.slice(80).filter((label, i) => heldOut[i]! > 0 === label).length;
    expect(right / 40).toBeGreaterThan(0.85);
  });

  test("held-out rows change no weight (P1)", async () => {
    const moved = rows.values.map((value, at) => (at >= 80 * 8 && at % 8 < 2 ? value * 30 - 50 : value));
    const [plain, other] = [await fitOn(make(), rows.values), await fitOn(make(), moved)];
    const largest = Math.max(...plain.weights.map(Math.abs));
    plain.weights.forEach((weight, j) =>
      expect(Math.abs(weight - other.weights[j]!)).toBeLessThan(5e-3 * largest),
    );
    expect(Math.abs(plain.bias - other.bias)).toBeLessThan(1e-2 * largest);
  });

  test("is made again from its recipe, and repeated bit for bit", async () => {
    const probe = make();
    const again = probeFromRecipe(structuredClone(recipeOf(probe)!));
    expect(again.formula).toBe(probe.formula);
    expect((await fitOn(again, rows.values)).weights).toEqual((await fitOn(probe, rows.values)).weights);
  });

  test("trains, and scores the same bits after JSON (P6, P17)", async () => {
    const probe = await trainProbe(rows, { probe: make(), layer: 2, label: "truth" });
    expect(auroc(probe.score(rows.values), rows.labels).value).toBeGreaterThan(0.95);
    expect(probe.direction().vector[0]).toBeGreaterThan(0);
    const loaded = probeFromJSON(JSON.parse(JSON.stringify(probe)));
    expect(loaded.score(rows.values)).toEqual(probe.score(rows.values));
  });

  test("one class is refused (P8)", async () => {
    const one = { ...rows, labels: rows.labels.map(() => true) };
    await expect(trainProbe(one, { probe: make() })).rejects.toMatchObject({ code: "one_class" });
    const matrix = probeMatrix(rows.values, rows.width);
    const training = { included: new Uint8Array(120).fill(1) };
    await expect(make().fit(matrix, [{ training, labels: new Uint8Array(120) }])).rejects.toMatchObject({
      code: "one_class",
    });
    matrix.dispose();
  });
});

test.each([
  ridge,
  ridgeClassifier,
  lda,
  mahalanobis,
  massMeanIid,
  pca,
  kSparse,
  pcaOfDifferences,
  mahalanobisDistance,
] as ((options?: object) => unknown)[])("unknown options of %o are refused", (make) => {
  expect(() => make({ lambada: 1 })).toThrow(/lambada/);
  expect(() => make(null as never)).toThrow(/options/);
});

test.each([
  () => ridge({ lambda: 0 }),
  () => ridge({ lambda: [1, NaN] }),
  () => lda({ shrinkage: 0 }),
  () => kSparse({ k: 0 }),
  () => massMeanIid({ tolerance: -1 }),
  () => pca({ seed: 0.5 }),
])("%o is refused", (make) => {
  expect(make).toThrow(/allowed/);
});

test("PCA of pairs is not centred: a planted mean shift is its direction (P9)", async () => {
  const random = createRandom(4, "pairs");
  const width = 6;
  const pairs = 50;
  // What differs between the pairs is larger in feature 3; what all pairs share is in feature 0.
  const values = new Float32Array(2 * pairs * width);
  for (let pair = 0; pair < pairs; pair++) {
    const base = Array.from({ length: width }, () => random.gaussian());
    const noise = Array.from({ length: width }, (_, j) => (j === 3 ? 1.5 : 0.3) * random.gaussian());
    base.forEach((value, j) => {
      values[2 * pair * width + j] = value;
      values[(2 * pair + 1) * width + j] = value + (j === 0 ? 4 : 0) + noise[j]!;
    });
  }
  const labels = Array.from({ length: 2 * pairs }, (_, row) => row % 2 === 1);
  const groups = labels.map((_, row) => row >> 1);
  const options = { probe: pcaOfDifferences(), layer: 0 };
  const probe = await trainProbe({ values, width, labels, groups }, options);
  expect(cosine(probe.direction().vector, [1, 0, 0, 0, 0, 0])).toBeGreaterThan(0.95);
  // Sign by the classes, and the same bits again (P10).
  const flipped = await trainProbe({ values, width, labels, groups }, { ...options, positive: false });
  expect(flipped.direction().vector).toEqual(probe.direction().vector.map((value) => -value));
  expect((await trainProbe({ values, width, labels, groups }, options)).toJSON()).toEqual(probe.toJSON());
  await expect(trainProbe({ values, width, labels }, options)).rejects.toMatchObject({
    code: "group_required",
  });
  await expect(trainProbe({ values, width, labels, groups: labels }, options)).rejects.toMatchObject({
    code: "bad_group",
  });
});

test("the sign of a component does not depend on the seed of its start (P10)", async () => {
  const fits = await Promise.all([0, 1, 2, 3].map((seed) => fitOn(pca({ seed }), rows.values)));
  for (const fit of fits) expect(cosine(fit.weights, fits[0]!.weights)).toBeGreaterThan(1 - 1e-9);
});

test("k-sparse keeps k features; at random it is the control that misses the signal", async () => {
  const wide = plantedRows({ rows: 120, width: 60, shift: 4 });
  const found = await trainProbe(wide, { probe: kSparse({ k: 2 }), layer: 0 });
  const { vector } = found.direction();
  expect(vector.filter((weight) => weight !== 0).length).toBe(2);
  expect(vector[0]).not.toBe(0);
  const control = await trainProbe(wide, { probe: kSparse({ k: 2, select: "random" }), layer: 0 });
  expect(control.direction().vector[0]).toBe(0);
  await expect(trainProbe(wide, { probe: kSparse({ k: 61 }) })).rejects.toThrow(
    /keep 61 features, and the rows have 60/,
  );
});

test("k-sparse chooses its features on training rows only", async () => {
  // Feature 5 tells the classes apart in the held-out rows alone.
  const leaking = rows.values.map((value, at) =>
    at >= 80 * 8 && at % 8 === 5 && rows.labels[Math.floor(at / 8)] ? value + 100 : value,
  );
  const fit = await fitOn(kSparse({ k: 1 }), leaking);
  expect(fit.weights[0]).not.toBe(0);
  expect(fit.weights[5]).toBe(0);
});

test("a number is predicted, and larger numbers are where the direction leads", async () => {
  const target = rows.labels.map((_, row) => 2 * rows.values[row * 8 + 1]! + 5);
  const probe = await trainProbe({ ...rows, labels: target }, { probe: ridge({ lambda: 1e-3 }), layer: 1 });
  expect(probe).toMatchObject({ task: "number", positive: null, classes: null });
  probe.score(rows.values).forEach((score, row) => expect(score).toBeCloseTo(target[row]!, 3));
  const direction = probe.direction();
  expect(direction.vector[1]).toBeCloseTo(2, 3);
  expect(direction.source.positive).toBeNull();
  await expect(trainProbe({ ...rows, labels: target.map(() => 3) }, { probe: ridge() })).rejects.toThrow(
    /nothing to predict/,
  );
  await expect(trainProbe({ ...rows, labels: target.map(String) }, { probe: ridge() })).rejects.toThrow(
    /finite numbers/,
  );
});

test("the distance from one class has no direction, and its sign is that of the positive class", async () => {
  const far = await trainProbe(rows, { probe: mahalanobisDistance(), layer: 0 });
  const near = await trainProbe(rows, { probe: mahalanobisDistance({ of: "positive" }), layer: 0 });
  for (const probe of [far, near]) {
    expect(auroc(probe.score(rows.values), rows.labels).value).toBeGreaterThan(0.9);
    expect(probeFromJSON(JSON.parse(JSON.stringify(probe))).score(rows.values)).toEqual(
      probe.score(rows.values),
    );
    expect(() => probe.direction()).toThrow(/not linear/);
  }
});

test("separable rows and huge features give finite weights (P8)", async () => {
  const scaled = rows.values.map((value, at) => (at % 8 === 0 ? value * 1e4 : at % 8 === 5 ? 3 : value));
  for (const [, make] of linear) {
    const fit = await fitOn(make(), scaled);
    expect(fit.weights.every(Number.isFinite) && Number.isFinite(fit.bias)).toBe(true);
    expect(auroc(fit.scores.slice(80), rows.labels.slice(80)).value).toBeGreaterThan(0.95);
  }
});
