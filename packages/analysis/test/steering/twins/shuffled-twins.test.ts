import { expect, test } from "vitest";
import { createRandom } from "../../../src/statistics/random.ts";
import { evaluateSteering } from "../../../src/steering/evaluate-steering.ts";
import { shuffledTwins } from "../../../src/steering/twins/shuffled-twins.ts";
import { plantedLens } from "../planted-lens.ts";

const width = 24;
const rowsOfGroup = 2;
const groups = 60;

/** Rows of noise whose label moves feature 0, at two layers. */
function dataset() {
  const random = createRandom(3, "shuffled twins test");
  const rows = groups * rowsOfGroup;
  // Whole groups have one label, so that shuffling exchanges groups.
  const labels = Array.from({ length: rows }, (_, row) => (row >> 1) % 2 === 0);
  const values = (by: number) =>
    Float32Array.from(
      { length: rows * width },
      (_, at) => random.gaussian() + (at % width === 0 && labels[Math.floor(at / width)] ? by : 0),
    );
  const layers = new Map([
    [1, values(0.8)],
    [2, values(0.4)],
  ]);
  const columns: Record<string, unknown[]> = { truth: labels, group: labels.map((_, row) => `g${row >> 1}`) };
  return {
    rows,
    layers: [1, 2],
    hiddenSize: width,
    columns: ["truth", "group"],
    column: (name: string) => Promise.resolve(columns[name]!),
    layer: (layer: number) => Promise.resolve(layers.get(layer)!),
  };
}
const unit = Float32Array.from({ length: width }, (_, j) => (j === 0 ? 3 : 0));
const rows = new Map([
  [1, unit],
  [2, unit],
]);
const given = { dataset: dataset(), label: "truth", group: "group", count: 8 };

test("have the direction's norm at each layer, and little of the label", async () => {
  const twins = await shuffledTwins(rows, given, 1);
  expect(twins.length).toBe(8);
  for (const layer of [1, 2]) {
    const along = twins.map((twin) => twin.get(layer)![0]! / 3);
    for (const twin of twins) expect(Math.hypot(...twin.get(layer)!)).toBeCloseTo(3, 5);
    expect(Math.abs(along.reduce((sum, cosine) => sum + cosine, 0) / 8)).toBeLessThan(0.25);
  }
  expect(await shuffledTwins(rows, given, 1)).toEqual(twins);
  expect(await shuffledTwins(rows, given, 2)).not.toEqual(twins);
});

test("vectors that were fitted elsewhere are scaled to the norm too, for one layer", async () => {
  const vectors = [Float32Array.from({ length: width }, (_, j) => j + 1)];
  const [twin] = await shuffledTwins(new Map([[1, unit]]), { vectors }, 1);
  expect(Math.hypot(...twin!.get(1)!)).toBeCloseTo(3, 5);
  await expect(shuffledTwins(rows, { vectors }, 1)).rejects.toThrow(/one steered layer/);
  await expect(
    shuffledTwins(new Map([[1, unit]]), { vectors: [new Float32Array(width)] }, 1),
  ).rejects.toThrow(/not all zero/);
});

test("a layer that the dataset lacks is refused", async () => {
  await expect(shuffledTwins(new Map([[7, unit]]), given, 1)).rejects.toThrow(
    /layer 7 is not in the dataset, which holds 1, 2/,
  );
});

test("an experiment reports them beside the random twins, and says when they are the direction itself", async () => {
  const lens = plantedLens({ vocabulary: [" yes", " a", " b"], logits: (_, dose) => [dose[0] ?? 0, 0, 0.1] });
  const options = {
    direction: { layer: 1, vector: unit, method: "planted" },
    prompts: Array.from({ length: 6 }, (_, i) => ({ prompt: `p${i}`, group: `${i}` })),
    target: " yes",
    scales: [0.2],
    twins: 3,
    draws: 20,
  };
  const result = await evaluateSteering(lens, { ...options, shuffled: given });
  expect(result.shuffledTwins.map(({ scale, count }) => [scale, count])).toEqual([[0.2, 8]]);
  const [comparison] = result.shuffledTwins[0]!.comparisons;
  expect(comparison!.direction!).toBeGreaterThan(comparison!.largest!);
  expect(comparison).toMatchObject({ metric: "target", asLarge: 0, p: 1 / 9 });
  expect(result.notes.join()).not.toMatch(/cosine/);
  const same = await evaluateSteering(lens, { ...options, shuffled: { vectors: [unit] } });
  expect(same.shuffledTwins[0]!.comparisons[0]).toMatchObject({ asLarge: 1, p: 1 });
  expect(same.notes.join()).toMatch(/mean absolute cosine of 1\.00/);
});
