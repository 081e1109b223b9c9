import { expect, test } from "vitest";
import { ccsObjective } from "../../../src/probes/unsupervised/ccs-objective.ts";
import { ccs } from "../../../src/probes/unsupervised/ccs.ts";
import { normalisedPairs } from "../../../src/probes/unsupervised/pair-moments.ts";
import { ccsTrainingSchema } from "../../../src/results/ccs-training.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { cosine } from "../like-sklearn.ts";
import { gradientDistance, torchFixture } from "../nonlinear/torch-fixture.ts";

const { ccs: reference } = torchFixture;

/** The pairs of the fixture, row by row in turn. */
function fixtureDataset(column: (name: string) => unknown[]) {
  const { width, positive, negative } = reference;
  const pairs = positive.length / width;
  const values = new Float32Array(2 * pairs * width);
  for (let pair = 0; pair < pairs; pair++) {
    values.set(positive.slice(pair * width, (pair + 1) * width), 2 * pair * width);
    values.set(negative.slice(pair * width, (pair + 1) * width), (2 * pair + 1) * width);
  }
  return {
    rows: 2 * pairs,
    layers: [0],
    hiddenSize: width,
    column: (name: string) => Promise.resolve(column(name)),
    layer: () => Promise.resolve(values),
  };
}

const plain = fixtureDataset((name) =>
  Array.from({ length: 80 }, (_, row) => (name === "group" ? Math.floor(row / 2) : row % 2 === 0)),
);

test("loss and gradient equal PyTorch's", async () => {
  const { width, point, decay, value, gradient } = reference;
  const pairs = {
    positive: Uint32Array.from({ length: 40 }, (_, pair) => 2 * pair),
    negative: Uint32Array.from({ length: 40 }, (_, pair) => 2 * pair + 1),
  };
  const { rows } = normalisedPairs(await plain.layer(), width, pairs);
  const found = ccsObjective(rows, decay, Float64Array.from(point));
  expect(found.value).toBeCloseTo(value, 10);
  expect(gradientDistance(found.gradient, gradient)).toBeLessThan(1e-9);
});

test("the least loss over restarts and its direction equal PyTorch's", async () => {
  const { probe, training } = await ccs(plain, { layer: 0 });
  expect(Math.abs(training.loss / reference.best.loss - 1)).toBeLessThan(1e-4);
  expect(Math.abs(cosine(probe.direction().vector, reference.best.direction))).toBeGreaterThan(0.9999);
  expect(ccsTrainingSchema.parse(JSON.parse(JSON.stringify(training)))).toEqual(training);
  expect(training.restarts.length).toBe(10);
  expect(training.restarts[training.taken]!.loss).toBe(
    Math.min(...training.restarts.map(({ loss }) => loss)),
  );
});

/** Pairs whose difference tells the truth, beside a feature that only tells the halves apart. */
function planted(pairs: number, seed: number, labels: "all" | "none" | "turned" = "all") {
  const random = createRandom(seed, "planted pairs");
  const width = 8;
  const truths = Array.from({ length: pairs }, () => random.uniform() < 0.5);
  const values = new Float32Array(2 * pairs * width);
  for (let row = 0; row < 2 * pairs; row++) {
    const isPositive = row % 2 === 0;
    const holds = truths[row >> 1]! === isPositive;
    for (let j = 0; j < width; j++) values[row * width + j] = random.gaussian();
    values[row * width]! += holds ? 4 : -4;
    values[row * width + 1]! += isPositive ? 30 : -30;
  }
  const column = (name: string) =>
    Array.from({ length: 2 * pairs }, (_, row) => {
      if (name === "group") return `pair ${row >> 1}`;
      if (name === "positive") return row % 2 === 0;
      return labels === "none" ? null : (truths[row >> 1]! === (row % 2 === 0)) !== (labels === "turned");
    });
  return {
    truths,
    dataset: {
      rows: 2 * pairs,
      layers: [5],
      hiddenSize: width,
      column: (name: string) => Promise.resolve(column(name)),
      layer: () => Promise.resolve(values),
    },
  };
}

test("finds the truth, not what tells the halves apart; labels set the sign alone", async () => {
  const { dataset, truths } = planted(60, 1);
  const { probe, training } = await ccs(dataset, { layer: 5, label: "truth" });
  expect(training.sign).toMatchObject({ resolved: true, pairs: 60 });
  expect(training.sign.agreement).toBeGreaterThan(0.95);
  const { vector } = probe.direction();
  expect(vector[0]! / Math.hypot(...vector)).toBeGreaterThan(0.9);
  const scores = probe.score(await dataset.layer());
  const right = truths.filter(
    (truth, pair) => scores[2 * pair]! - scores[2 * pair + 1]! - training.pairOffset > 0 === truth,
  );
  expect(right.length).toBeGreaterThan(57);
  const turned = await ccs(planted(60, 1, "turned").dataset, { layer: 5, label: "truth" });
  turned.probe.direction().vector.forEach((value, j) => expect(value).toBeCloseTo(-vector[j]!, 6));
});

test("without labels the sign is said to be open; repeats are equal bit for bit", async () => {
  const { dataset } = planted(20, 2, "none");
  const one = await ccs(dataset, { layer: 5, label: "truth", restarts: 3 });
  expect(one.training.sign).toMatchObject({
    resolved: false,
    agreement: null,
    reason: /no pair has a label/,
  });
  expect(one.probe.formula).toContain("sign not resolved");
  expect((await ccs(dataset, { layer: 5, label: "truth", restarts: 3 })).probe.toJSON()).toEqual(
    one.probe.toJSON(),
  );
});

test("P8: a constant feature has weight 0", async () => {
  const { dataset } = planted(20, 3);
  const values = await dataset.layer();
  for (let row = 0; row < 40; row++) values[row * 8 + 2] = row % 2 === 0 ? 7.25 : -3.5;
  const { probe } = await ccs(
    { ...dataset, layer: () => Promise.resolve(values) },
    { layer: 5, restarts: 2 },
  );
  expect(probe.direction().vector[2]).toBe(0);
});

test("pairs that lack a half or have one twice, and pairs of two truths, are refused", async () => {
  const { dataset } = planted(4, 1);
  const given = (changes: Record<string, (row: number, value: unknown) => unknown>) => ({
    ...dataset,
    column: async (name: string) =>
      (await dataset.column(name)).map((value, row) => changes[name]?.(row, value) ?? value),
  });
  const fit = (changes: Parameters<typeof given>[0]) =>
    ccs(given(changes), { layer: 5, label: "truth", restarts: 1 });
  await expect(fit({ group: (row, value) => (row === 0 ? "alone" : value) })).rejects.toMatchObject({
    code: "bad_pairs",
    message: /no (positive|negative) row/,
  });
  await expect(fit({ positive: () => true })).rejects.toThrow(/both the positive half/);
  await expect(fit({ positive: (row, value) => (row === 3 ? "no" : value) })).rejects.toThrow(
    /Row 3 has "no" as its half/,
  );
  await expect(fit({ truth: () => true })).rejects.toMatchObject({ code: "bad_label" });
  await expect(ccs(dataset, { layer: 5, where: (row) => row < 2 })).rejects.toMatchObject({
    code: "no_rows",
  });
  const where = (() => Promise.resolve(false)) as never;
  await expect(ccs(dataset, { layer: 5, where })).rejects.toThrow(/where.*returned object/s);
  await expect(ccs(null as never, { layer: 5 })).rejects.toThrow(/dataset/);
  await expect(fit({ group: (row) => BigInt(row) })).rejects.toThrow(/Pair 0 has no/);
  const spoilt = (await dataset.layer()).slice().fill(Number.NaN, 3 * 8, 3 * 8 + 1);
  await expect(ccs({ ...dataset, layer: () => Promise.resolve(spoilt) }, { layer: 5 })).rejects.toThrow(
    /Row 3, feature 0/,
  );
  await expect(ccs(dataset, { layer: 4 })).rejects.toMatchObject({ code: "bad_option" });
  await expect(ccs(dataset, { layer: 5, tries: 3 } as never)).rejects.toThrow(/tries/);
});
