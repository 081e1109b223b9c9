import { beforeAll, describe, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { layerSweepSchema } from "../../src/results/layer-sweep.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import { plantedRows } from "./planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

const fast = { draws: 200, randomDirections: 10, workers: 0 };

test("numbers are predicted: R² and rank correlation at the layer that holds them, below 0 where nothing is", async () => {
  const dataset = plantedRows({
    groups: 160,
    perGroup: 1,
    layers: 2,
    row: ({ random }) => ({ size: 100 + 10 * random.gaussian() }),
    signal: ({ layer, feature, columns }) =>
      layer === 1 && feature === 2 ? ((columns["size"] as number) - 100) / 5 : 0,
  });
  const sweep = await sweepLayers(dataset, { label: "size", ...fast });
  expect(sweep).toMatchObject({ task: "number", score: "r2", positive: null, classes: null });
  expect(sweep.chosen.layer).toBe(1);
  expect(sweep.chosen.outerScore.value!).toBeGreaterThan(0.7);
  expect(sweep.chosen.outerScore.value!).toBeLessThan(0.9);
  expect(sweep.chosen.metrics.spearman!.value!).toBeGreaterThan(0.8);
  expect(sweep.layers[0]!.probes[0]!.score.value!).toBeLessThan(0.05);
  expect(sweep.layers[1]!.controls.shuffledLabels.high!).toBeLessThan(0.2);
  expect(sweep.verdict.finding).toBe("shown");
  expect(layerSweepSchema.parse(JSON.parse(JSON.stringify(sweep)))).toEqual(sweep);
});

test("texts of several values are classes: one column each against the rest", async () => {
  const dataset = plantedRows({
    groups: 60,
    perGroup: 3,
    row: ({ row }) => ({ topic: ["sea", "sky", "soil"][row % 3] }),
    signal: ({ feature, columns }) =>
      feature === ["sea", "sky", "soil"].indexOf(columns["topic"] as string) ? 3 : 0,
  });
  const sweep = await sweepLayers(dataset, {
    label: "topic",
    probes: [logistic({ C: [0.01, 0.1] })],
    ...fast,
  });
  expect(sweep).toMatchObject({
    task: "classes",
    score: "macro-auroc",
    classes: ["sea", "sky", "soil"],
    counts: [60, 60, 60],
  });
  expect(sweep.chosen.outerScore.value!).toBeGreaterThan(0.95);
  expect(Math.abs(sweep.layers[0]!.controls.shuffledLabels.value! - 0.5)).toBeLessThan(0.06);
  const { accuracy, balancedAccuracy } = sweep.chosen.metrics;
  expect(accuracy!.value!).toBeGreaterThan(0.85);
  // As many of each class: both are the same.
  expect(balancedAccuracy!.value!).toBeCloseTo(accuracy!.value!, 12);
});

describe("thresholds and calibrations of an outer fold", () => {
  /** One class in five, whose scores are shifted in one half of the groups, so that no single threshold fits both. */
  const dataset = plantedRows({
    groups: 120,
    perGroup: 5,
    hiddenSize: 4,
    row: ({ row }) => ({ y: row % 5 === 0 }),
    signal: ({ feature, columns }) => (feature === 0 && columns["y"] ? 2 : 0),
  });

  test("accuracy, recall at a fixed false-positive rate and probabilities are of held-out rows", async () => {
    const { chosen, counts } = await sweepLayers(dataset, {
      label: "y",
      probes: [logistic({ C: 1 })],
      ...fast,
    });
    const { accuracy, balancedAccuracy, recall, brier, ece, logLoss } = chosen.metrics;
    expect(counts).toEqual([120, 480]);
    // Of two normals two deviations apart: AUROC Φ(√2) = 0.921, best balanced accuracy Φ(1) = 0.841.
    expect(chosen.outerScore.value!).toBeCloseTo(0.921, 1);
    expect(balancedAccuracy!.value!).toBeCloseTo(0.841, 1);
    expect(accuracy!.value!).toBeGreaterThan(0.75);
    expect(recall!.map(({ rate }) => rate)).toEqual([0.01, 0.05]);
    // Φ(2 − 2.326) = 0.37 and Φ(2 − 1.645) = 0.64.
    expect(Math.abs(recall![0]!.recall.value! - 0.37)).toBeLessThan(0.15);
    expect(Math.abs(recall![1]!.recall.value! - 0.64)).toBeLessThan(0.12);
    expect(recall![1]!.falsePositiveRate.low!).toBeLessThan(0.05);
    expect(recall![1]!.falsePositiveRate.high!).toBeGreaterThan(0.04);
    expect(brier!.value!).toBeLessThan(0.11);
    expect(ece!.value!).toBeLessThan(0.06);
    expect(logLoss!.value!).toBeLessThan(0.35);
  });
});
