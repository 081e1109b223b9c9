import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-wasm";
import { beforeAll, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { fitLayers, type FitLayersOptions, type LayerFits } from "../../src/index.ts";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { ridge } from "../../src/probes/linear/ridge.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import type { Probe, ProbeColumn } from "../../src/probes/probe.ts";
import { probeMatrix } from "../../src/probes/probe-matrix.ts";
import { createRandom } from "../../src/statistics/random.ts";

const [rows, width] = [60, 7];
const random = createRandom(5, "fit layers");
const stored = new Map(
  [2, 5, 9].map((layer) => [layer, Float32Array.from({ length: rows * width }, () => random.gaussian())]),
);
const dataset = {
  rows,
  hiddenSize: width,
  layers: [...stored.keys()],
  layer: (layer: number) => Promise.resolve(stored.get(layer)!),
};
const halves = [0, 1].map((half) => ({
  included: Uint8Array.from({ length: rows }, (_, row) => Number(row % 2 === half)),
}));
const columns: ProbeColumn[] = Array.from({ length: 20 }, (_, k) => ({
  training: halves[k % 2]!,
  labels: random.shuffle(Uint8Array.from({ length: rows }, (_, row) => Number(row < rows / 2))),
}));
const probe = logistic({ C: [0.1, 10] });

beforeAll(async () => {
  await useBackend();
});

async function fitted(options: Partial<FitLayersOptions>): Promise<LayerFits[]> {
  const layers: LayerFits[] = [];
  for await (const layer of fitLayers(dataset, { probe, columns, ...options })) layers.push(layer);
  return layers;
}

test("fits in workers are those of this thread, in the order of layers", async () => {
  const here = await fitted({ workers: 0 });
  expect(here.map(({ layer }) => layer)).toEqual([2, 5, 9]);
  const matrix = probeMatrix(stored.get(5)!, width);
  expect(here[1]!.fits).toEqual(await probe.fit(matrix, columns));
  matrix.dispose();
  expect(await fitted({ workers: 2 })).toEqual(here);
});

test("workers share the columns of a single layer", async () => {
  const shared = await fitted({ layers: [9], workers: 2 });
  const alone = await fitted({ layers: [9], workers: 1 });
  alone[0]!.fits.forEach((own, c) =>
    own.forEach(({ objective }, k) =>
      expect(shared[0]!.fits[c]![k]!.objective! / objective! - 1).toBeCloseTo(0, 6),
    ),
  );
});

test("leaves no tensor behind when it is left early", async () => {
  const before = tf.memory().numTensors;
  for await (const { layer } of fitLayers(dataset, { probe, columns, workers: 0 })) if (layer === 2) break;
  expect(tf.memory().numTensors).toBe(before);
});

test("bad options are named", async () => {
  const refused = (options: unknown) => expect(fitted(options as FitLayersOptions)).rejects;
  await refused({ layers: [3] }).toThrow("Layer 3 is not in the dataset, which holds 2, 5, 9.");
  await refused({ probe: {} }).toThrow(/probe.*a probe, such as logistic\(\)/s);
  await refused({ columns: [] }).toThrow(/columns/);
  await refused({ colums: columns }).toThrow(/colums/);
  await refused({ columns: [{ training: halves[0], labels: [1, 0] }] }).toThrow(
    /columns\[0\].labels has 2 values.*60 rows/,
  );
  await refused({ columns: [{ ...columns[0]!, weights: [1] }] }).toThrow(/columns\[0\].weights has 1 values/);
  const column = columns[0]!;
  const training = column.training;
  const of = (value: unknown) => Array.from({ length: rows }, () => value);
  for (const label of [Number.NaN, null, "0", 2, 1n])
    await refused({ columns: [column, { ...column, labels: of(label) }] }).toMatchObject({
      code: "bad_label",
      message: expect.stringMatching(/^columns\[1\].labels\[\d+\] is .*one class against the rest/) as string,
    });
  await refused({ probe: ridge(), columns: [{ training, labels: of(Infinity) }] }).toThrow(
    /reads finite numbers/,
  );
  for (const weight of [-1, Number.NaN, Infinity])
    await refused({
      columns: [{ ...column, weights: Float64Array.from({ length: rows }, () => weight) }],
    }).toThrow(/columns\[0\].weights\[0\] is .*at least 0/);
  await refused({ columns: [{ ...column, training: { included: of("0") } }] }).toThrow(
    /included\[0\] is "0"/,
  );
  const held = Float64Array.from(column.labels, (label, row) =>
    training.included[row] ? label : Number.NaN,
  );
  expect((await fitted({ columns: [{ training, labels: held }], workers: 0 })).length).toBe(3);
  await expect(fitLayers(null as never, { probe, columns }).next()).rejects.toThrow(/dataset/);
  const own: Probe = { ...differenceOfMeans() };
  await refused({ probe: own, workers: 1 }).toThrow(/not one that this package made/);
  expect(await fitted({ probe: own })).toEqual(await fitted({ probe: differenceOfMeans(), workers: 0 }));
});
