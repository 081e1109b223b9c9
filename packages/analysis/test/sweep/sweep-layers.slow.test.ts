import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-wasm";
import { beforeAll, describe, expect, test } from "vitest";
import { auroc } from "../../src/statistics/metrics/auroc.ts";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { fitProbe } from "../../src/probes/probe-fit.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { layerSweepSchema } from "../../src/results/layer-sweep.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import { arrayDataset } from "../probes/sweep-data.ts";

beforeAll(async () => {
  await tf.setBackend("wasm");
  await tf.ready();
});

/** Two statements a city, one of them true; the truth shows at layers 2 and 3 of 5, the city at all. */
function cities(count: number, hiddenSize: number, strengths = [0, 0.2, 1.5, 0.6, 0]) {
  const random = createRandom(11, "cities");
  const truth = Float64Array.from({ length: hiddenSize }, () => random.gaussian() / Math.sqrt(hiddenSize));
  const rows = 2 * count;
  const labels = Array.from({ length: rows }, (_, row) => row % 2 === 0);
  const layers = strengths.map((strength) => {
    const own = Float64Array.from({ length: count * hiddenSize }, () => random.gaussian());
    return Float32Array.from({ length: rows * hiddenSize }, (_, at) => {
      const row = Math.floor(at / hiddenSize);
      const j = at % hiddenSize;
      const signal = (labels[row] ? strength : -strength) * truth[j]!;
      return 5 + own[(row >> 1) * hiddenSize + j]! + random.gaussian() / 2 + signal;
    });
  });
  const columns = {
    example: labels.map((_, row) => `e${row}`),
    group: labels.map((_, row) => `city ${row >> 1}`),
    truth: labels,
  };
  return arrayDataset({ hiddenSize, layers, columns });
}

describe("a planted truth", () => {
  test("is found at its layer, with intervals and controls that say nothing, as valid JSON", async () => {
    const dataset = cities(400, 96);
    const before = tf.memory().numTensors;
    const sweep = await sweepLayers(dataset, { label: "truth" });
    expect(tf.memory().numTensors).toBe(before);

    expect(JSON.parse(JSON.stringify(sweep))).toEqual(sweep);
    expect(layerSweepSchema.parse(sweep)).toEqual(sweep);
    expect(sweep).toMatchObject({ n: 800, counts: [400, 400], groups: 400, group: "group", folds: 5 });
    expect(sweep.chosen.layer).toBe(2);
    expect(sweep.chosen.perFoldChoices.map((choice) => choice.layer)).toEqual([2, 2, 2, 2, 2]);
    const { value, low, high } = sweep.chosen.outerScore;
    expect(value).toBeGreaterThan(0.97);
    expect(low!).toBeLessThan(value!);
    expect(high!).toBeGreaterThan(value!);
    for (const { layer, probes, controls } of sweep.layers) {
      expect(probes.map(({ probe }) => probe)).toEqual(["difference-of-means", "logistic"]);
      expect(Math.abs(controls.shuffledLabels.value! - 0.5)).toBeLessThan(0.05);
      if (layer === 0 || layer === 4) {
        for (const { score } of probes) expect(Math.abs(score.value! - 0.5)).toBeLessThan(0.08);
        expect(Math.abs(controls.randomDirection.value! - 0.5)).toBeLessThan(0.05);
      }
    }
  });

  test("gives the same numbers for the same seed, and other folds for another", async () => {
    const dataset = cities(40, 8);
    const options = {
      label: "truth",
      draws: 50,
      shuffles: 3,
      randomDirections: 5,
      probes: [logistic({ C: 0.1 })],
    };
    const first = await sweepLayers(dataset, { ...options, seed: 5 });
    expect(await sweepLayers(dataset, { ...options, seed: 5 })).toEqual(first);
    expect((await sweepLayers(dataset, { ...options, seed: 6 })).chosen).not.toEqual(first.chosen);
  });
});

test("a C at which fits do not converge is chosen nowhere, and the result says so", async () => {
  const dataset = cities(30, 4, [9]);
  const options = { label: "truth", draws: 20, shuffles: 2, randomDirections: 2 };
  const sweep = await sweepLayers(dataset, { ...options, probes: [logistic({ C: [0.1, 1e20] })] });
  expect(sweep.chosen).toMatchObject({ C: 0.1, outerScore: { value: 1 } });
  expect(sweep.layers[0]!.probes[0]).toMatchObject({ converged: false, perFoldC: [0.1, 0.1, 0.1, 0.1, 0.1] });
  expect(sweep.notes.join()).toMatch(/C = 100000000000000000000: a fit did not converge \(gradient norm/);
  expect(sweep.notes.join()).toMatch(/exactly 1 has the bootstrap interval \[1, 1\]/);
  await expect(sweepLayers(dataset, { ...options, probes: [logistic({ C: 1e20 })] })).rejects.toMatchObject({
    code: "not_converged",
  });
});

test("P2: labels that are random but constant in a group score as chance when split by group, near 1 when split by row", async () => {
  const random = createRandom(21, "leak");
  const [groups, tokens, hiddenSize] = [60, 8, 32];
  const rows = groups * tokens;
  const own = Array.from({ length: groups * hiddenSize }, () => random.gaussian());
  const values = Float32Array.from(
    { length: rows * hiddenSize },
    (_, at) =>
      own[Math.floor(at / hiddenSize / tokens) * hiddenSize + (at % hiddenSize)]! + 0.2 * random.gaussian(),
  );
  const classes = random.shuffle(Array.from({ length: groups }, (_, group) => group % 2 === 0));
  const columns = {
    prompt: Array.from({ length: rows }, (_, row) => Math.floor(row / tokens)),
    row: Array.from({ length: rows }, (_, row) => row),
    label: Array.from({ length: rows }, (_, row) => classes[Math.floor(row / tokens)]!),
  };
  const dataset = arrayDataset({ hiddenSize, layers: [values], columns });
  const options = {
    label: "label",
    probes: [logistic({ C: 1 })],
    draws: 200,
    shuffles: 5,
    randomDirections: 10,
  };
  const grouped = await sweepLayers(dataset, { ...options, group: "prompt" });
  const byRow = await sweepLayers(dataset, { ...options, group: "row" });
  expect(Math.abs(grouped.chosen.outerScore.value! - 0.5)).toBeLessThan(0.15);
  expect(byRow.chosen.outerScore.value!).toBeGreaterThan(0.95);
});

test("P3, P4: the best of 500 layers of noise scores as chance outside, though it flatters inside", async () => {
  const random = createRandom(31, "noise");
  const [rows, hiddenSize] = [80, 4];
  const layers = Array.from({ length: 500 }, () =>
    Float32Array.from({ length: rows * hiddenSize }, () => random.gaussian()),
  );
  const columns = {
    group: Array.from({ length: rows }, (_, row) => row),
    label: Array.from({ length: rows }, (_, row) => row % 2),
  };
  const dataset = arrayDataset({ hiddenSize, layers, columns });
  const options = {
    label: "label",
    probes: [differenceOfMeans()],
    draws: 10,
    shuffles: 0,
    randomDirections: 0,
    workers: 0,
  };
  const sweep = await sweepLayers(dataset, { ...options, group: "group" });
  expect(sweep.chosen.innerScore).toBeGreaterThan(0.68);
  expect(Math.max(...sweep.layers.map((layer) => layer.probes[0]!.score.value!))).toBeGreaterThan(0.65);
  expect(Math.abs(sweep.chosen.outerScore.value! - 0.5)).toBeLessThan(0.12);
});

describe("what allows no honest split is refused", () => {
  const layers = [Float32Array.from({ length: 12 * 2 }, (_, at) => Math.sin(at))];
  const label = Array.from({ length: 12 }, (_, row) => row % 2);
  const sweepOf = (columns: Record<string, unknown[]>, options = {}) =>
    sweepLayers(arrayDataset({ hiddenSize: 2, layers, columns: { label, ...columns } }), {
      label: "label",
      draws: 20,
      folds: 3,
      ...options,
    });

  test("P2: token rows without a group, until the examples are said to be independent", async () => {
    const example = label.map((_, row) => `e${row >> 1}`);
    await expect(sweepOf({ example })).rejects.toMatchObject({ code: "group_required" });
    await expect(sweepOf({ example, group: example })).rejects.toMatchObject({ code: "group_required" });
    expect((await sweepOf({ example }, { group: "example" })).groups).toBe(6);
  });

  test("example rows without a group are grouped by example, and the result says so", async () => {
    const sweep = await sweepOf({ example: label.map((_, row) => `e${row}`) });
    expect(sweep).toMatchObject({ group: "example", groups: 12 });
    expect(sweep.notes.join()).toMatch(/No group was given/);
  });

  test("too few groups, one class, three classes, two unnamed strings, an absent layer, two folds", async () => {
    const group = label.map((_, row) => row);
    await expect(
      sweepOf({ group: label.map((_, row) => row % 2) }, { group: "group" }),
    ).rejects.toMatchObject({ code: "too_few_groups" });
    await expect(sweepOf({ group, label: label.map(() => 1) })).rejects.toMatchObject({ code: "one_class" });
    await expect(
      sweepOf({ group, label: group.map((row) => row % 3) }, { positive: 2 }),
    ).rejects.toMatchObject({ code: "bad_label" });
    const words = label.map((value) => (value ? "yes" : "no"));
    await expect(sweepOf({ group, label: words })).rejects.toThrow(/which of the two is positive/);
    expect((await sweepOf({ group, label: words }, { positive: "yes" })).counts).toEqual([6, 6]);
    await expect(sweepOf({ group }, { layers: [3] })).rejects.toThrow(/asks for 3, and the dataset holds 0/);
    await expect(sweepOf({ group }, { folds: 2 })).rejects.toThrow(/at least 3/);
  });

  test("P5: a fold that would lack a class is refused, never an undefined score in a mean", async () => {
    const group = label.map((_, row) => row);
    const rare = label.map((_, row) => (row < 2 ? 1 : 0));
    await expect(sweepOf({ group, label: rare })).rejects.toMatchObject({ code: "one_class" });
    await expect(sweepOf({ group, label: rare })).rejects.toThrow(/Fold \d of 3 holds 1 of 2 classes/);
  });

  test("rows without a label are left out and counted", async () => {
    const group = label.map((_, row) => row);
    const sweep = await sweepOf({ group, label: label.map((value, row) => (row < 2 ? null : value)) });
    expect(sweep.n).toBe(10);
    expect(sweep.notes.join()).toMatch(/2 rows without a value of label/);
  });
});

test("difference of means is the mean of one class less the other's, its threshold half-way", async () => {
  const values = Float32Array.from([1, 0, 3, 0, 10, 4, 12, 6]);
  const [fit] = await fitProbe(differenceOfMeans(), { values, width: 2, labels: [0, 0, 1, 1] });
  expect([...fit!.weights]).toEqual([9, 5]);
  // Half-way between (2, 0) and (11, 5): 9 · 6.5 + 5 · 2.5 = 71
  expect(fit!.bias).toBeCloseTo(-71, 4);
  expect(auroc(fit!.scores, [0, 0, 1, 1]).value).toBe(1);
});
