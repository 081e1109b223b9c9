import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "@tensorflow/tfjs-backend-wasm";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { eraserFromJSON, loadEraser, saveEraser } from "../../../src/probes/erasure/eraser.ts";
import { leaceFitter, type LeaceSettings } from "../../../src/probes/erasure/leace-fitter.ts";
import { leace } from "../../../src/probes/erasure/leace.ts";
import { fitProbe } from "../../../src/probes/probe-fit.ts";
import { linearSvm } from "../../../src/probes/svm/linear-svm.ts";
import { createRandom } from "../../../src/statistics/random.ts";

interface LeaceCase {
  name: string;
  width: number;
  values: string;
  labels: number[];
  options: Required<LeaceSettings>;
  erased: number[][];
}

/** Made by fixtures/leace.py. */
const { cases } = JSON.parse(
  readFileSync(new URL("../../../fixtures/leace.json", import.meta.url), "utf8"),
) as {
  cases: LeaceCase[];
};

const rowsOf = (one: LeaceCase) =>
  new Float32Array(Uint8Array.from(Buffer.from(one.values, "base64")).buffer);

/** Fitted in batches of `size` rows. */
function fitted(one: LeaceCase, size = 7, settings: LeaceSettings = one.options) {
  const values = rowsOf(one);
  const fitter = leaceFitter({ width: one.width, ...settings });
  for (let row = 0; row < one.labels.length; row += size) {
    fitter.update(values.slice(row * one.width, (row + size) * one.width), one.labels.slice(row, row + size));
  }
  return fitter.eraser();
}

beforeAll(async () => {
  await tf.setBackend("cpu");
  await tf.ready();
});

describe.each(cases)("$name", (one) => {
  test("equals concept-erasure within 2e-6 of the rows' size", () => {
    const erased = fitted(one).apply(rowsOf(one));
    const size = Math.max(...one.erased.flat().map(Math.abs));
    one.erased.flat().forEach((value, at) => expect(Math.abs(erased[at]! - value)).toBeLessThan(2e-6 * size));
  });

  test("P14: after erasure a fitted linear model has |beta| < 1e-4", async () => {
    const values = rowsOf(one);
    const { width } = one;
    const labels = one.labels.map((label) => label === 0);
    const beta = async (rows: Float32Array) => {
      const [fit] = await fitProbe(linearSvm({ C: 1 }), { values: rows, width, labels });
      return Math.max(...fit!.weights.map(Math.abs));
    };
    expect(await beta(values)).toBeGreaterThan(1e-2);
    expect(await beta(fitted(one).apply(values))).toBeLessThan(1e-4);
  });

  test("P11: batches of any size give the same eraser", () => {
    const [small, whole] = [fitted(one, 3).toJSON(), fitted(one, 1000).toJSON()];
    expect(small.left.length).toBe(whole.left.length);
    const rows = rowsOf(one);
    const [a, b] = [fitted(one, 3).apply(rows), fitted(one, 1000).apply(rows)];
    a.forEach((value, at) => expect(value).toBeCloseTo(b[at]!, 5));
  });
});

const [two, , , , four] = cases;

test("the rank is one less than the classes, and erasing twice changes nothing more", () => {
  const eraser = fitted(four!);
  expect(eraser.rank).toBe(3);
  const once = eraser.apply(rowsOf(four!));
  eraser.apply(once).forEach((value, at) => expect(value).toBeCloseTo(once[at]!, 5));
});

test("an affine eraser keeps the mean row", () => {
  const values = rowsOf(two!);
  const erased = fitted(two!).apply(values);
  const mean = (rows: Float32Array, j: number) => {
    let sum = 0;
    for (let at = j; at < rows.length; at += two!.width) sum += rows[at]!;
    return sum / (rows.length / two!.width);
  };
  for (let j = 0; j < two!.width; j++) expect(mean(erased, j)).toBeCloseTo(mean(values, j), 5);
});

test("P8: constant features, equal features and scales from 1e-4 to 1e4 are erased all the same", () => {
  const random = createRandom(2, "test");
  const width = 6;
  const labels = Array.from({ length: 300 }, (_, row) => row % 3 === 0);
  const values = new Float32Array(300 * width);
  for (let row = 0; row < 300; row++) {
    const signal = (labels[row] ? 1 : 0) + random.gaussian();
    values.set(
      [
        signal,
        signal,
        7.25,
        1e4 + 3000 * (signal + random.gaussian()),
        1e-4 * (signal + random.gaussian()),
        random.gaussian(),
      ],
      row * width,
    );
  }
  const fitter = leaceFitter({ width });
  fitter.update(values, labels);
  const eraser = fitter.eraser();
  expect(JSON.stringify(eraser)).not.toContain("null,null");
  const erased = eraser.apply(values);
  expect(erased[2]).toBe(7.25);
  for (let j = 0; j < width; j++) {
    let [difference, squares] = [0, 0];
    labels.forEach((label, row) => {
      const value = erased[row * width + j]! - erased[j]!;
      difference += value / (label ? 100 : -200);
      squares += value ** 2 / 300;
    });
    expect(Math.abs(difference)).toBeLessThanOrEqual(1e-5 * Math.sqrt(squares));
  }
});

test("P8: features of other scales are erased as they would be without them", () => {
  const { width } = two!;
  const scale = Array.from({ length: width }, (_, j) => 2 ** (13 * ((j % 3) - 1)));
  const values = rowsOf(two!);
  const scaled = values.map((value, at) => value * scale[at % width]!);
  const plain = fitted(two!, 7, { method: "leace" }).apply(values);
  const fitter = leaceFitter({ width });
  fitter.update(scaled, two!.labels);
  fitter
    .eraser()
    .apply(scaled)
    .forEach((value, at) => expect(Math.abs(value / scale[at % width]! - plain[at]!)).toBeLessThan(1e-4));
});

test.each([[{ l: 0 }], [new Date(0)], [0.5], [Infinity], [null], [[1]], [2 ** 60]])(
  "%j is no class: every row would be one",
  (label) => {
    const fitter = leaceFitter({ width: 2 });
    expect(() => fitter.update(Float32Array.of(1, 2, 3, 4), [1, label as never])).toThrow(
      /The label holds .*: the classes of an eraser are texts, whole numbers, true and false/,
    );
  },
);

test("BigInt classes are the whole numbers that they stand for", () => {
  const fitter = leaceFitter({ width: 3 });
  const labels = [0n, 1n, 0n, 1n, 0] as unknown as number[];
  fitter.update(
    Float32Array.from({ length: 15 }, (_, at) => Math.sin(at * at)),
    labels,
  );
  expect(fitter.eraser().toJSON().classes).toEqual([0, 1]);
});

test.each([
  ["as many dimensions as the width", 3, [0, 1, 2, 3, 0, 1, 2, 3]],
  ["a class a row", 9, [0, 1, 2, 3, 4, 5, 6, 7]],
])("classes that differ in %s are refused: nothing would be left", (_, width, labels) => {
  const fitter = leaceFitter({ width, label: "topic" });
  fitter.update(
    Float32Array.from({ length: 8 * width }, (_value, at) => Math.sin(at * at)),
    labels,
  );
  expect(() => fitter.eraser()).toThrow(/Label topic has \d classes .* leaves only the mean row/);
});

test("classes of equal means leave the rows as they are", () => {
  const fitter = leaceFitter({ width: 2 });
  fitter.update(Float32Array.of(1, 2, -1, -2, 1, 2, -1, -2), ["a", "a", "b", "b"]);
  const eraser = fitter.eraser();
  expect(eraser.rank).toBe(0);
  expect([...eraser.apply(Float32Array.of(5, 6))]).toEqual([5, 6]);
});

test("no rows, one class, other widths and values that are not finite are refused", () => {
  const fitter = leaceFitter({ width: 2, label: "truth" });
  expect(() => fitter.eraser()).toThrow(expect.objectContaining({ code: "no_rows" }) as Error);
  expect(() => fitter.update(Float32Array.of(1, 2, 3), [true])).toThrow(
    expect.objectContaining({ code: "wrong_width" }) as Error,
  );
  expect(() => fitter.update(Float32Array.of(1, 2), [])).toThrow(/1 rows and 0 labels/);
  expect(() => fitter.update(Float32Array.of(1, NaN), [true])).toThrow(/Row 0, feature 1 is NaN/);
  fitter.update(Float32Array.of(1, 2, 3, 4), [true, true]);
  expect(() => fitter.eraser()).toThrow(/Label truth is true in all 2 rows/);
  expect(() => leaceFitter({ width: 2, method: "pca" as never })).toThrow(/leace.*orthogonal/);
  expect(() => leaceFitter(undefined as never)).toThrow(/leaceFitter options/);
});

describe("leace of a dataset", () => {
  const values = rowsOf(four!);
  const { width, labels } = four!;
  const dataset = {
    rows: labels.length,
    layers: [3],
    hiddenSize: width,
    column: () => Promise.resolve(labels.map((label, row) => (row === 1 ? null : label))),
    layer: () => Promise.resolve(values),
  };

  test("fits on the rows that `where` leaves, without those that have no label", async () => {
    const eraser = await leace(dataset, { label: "topic", layer: 3, where: (row) => row >= 10 });
    expect(eraser).toMatchObject({ layer: 3, label: "topic", rows: labels.length - 10, rank: 3 });
    expect((await leace(dataset, { label: "topic", layer: 3 })).rows).toBe(labels.length - 1);
    await expect(leace(dataset, { label: "topic", layer: 4 })).rejects.toThrow(
      /Layer 4 is not in the dataset/,
    );
    await expect(leace(dataset, { label: "topic" } as never)).rejects.toThrow(/layer/);
  });

  test("`where` is a plain test of rows or of columns, and rows are named by their own numbers", async () => {
    const asked = (where: unknown, changed = {}) =>
      leace({ ...dataset, ...changed }, { label: "topic", layer: 3, where: where as never });
    await expect(asked(() => Promise.resolve(false))).rejects.toThrow(/where.*returned object/s);
    expect((await asked({ topic: [0, 1] })).classes.length).toBe(2);
    await expect(asked(() => false)).rejects.toMatchObject({ code: "no_rows" });
    const spoilt = {
      layer: () => Promise.resolve(values.slice().fill(Number.NaN, 30 * width, 30 * width + 1)),
    };
    await expect(asked((row: number) => row > 4, spoilt)).rejects.toThrow(/Row 30, feature 0/);
    await expect(leace(null as never, { label: "topic", layer: 3 })).rejects.toThrow(/dataset/);
  });

  test("P11: reads blocks of stored numbers where the dataset has them, and never the whole layer", async () => {
    const bits = Uint16Array.from(new Uint32Array(values.buffer), (word) => word >>> 16);
    const widened = Float32Array.from(new Float32Array(Uint32Array.from(bits, (half) => half << 16).buffer));
    const blocks = {
      ...dataset,
      dtype: "bfloat16" as const,
      layer: () => Promise.reject(new Error("the whole layer")),
      async *layerBlocks() {
        for (let first = 0; first < labels.length; first += 40) {
          const numbers = bits.slice(first * width, (first + 40) * width);
          yield await Promise.resolve({ first, rows: numbers.length / width, numbers });
        }
      },
    };
    const whole = await leace(
      { ...dataset, layer: () => Promise.resolve(widened) },
      { label: "topic", layer: 3 },
    );
    const read = await leace(blocks, { label: "topic", layer: 3 });
    expect(read.rows).toBe(whole.rows);
    const erased = whole.apply(values);
    read.apply(values).forEach((value, at) => expect(value).toBeCloseTo(erased[at]!, 5));
  });

  test("P6: what was saved and loaded erases the same, bit for bit", async () => {
    const folder = await mkdtemp(join(tmpdir(), "residua-test-"));
    try {
      const path = join(folder, "eraser.json");
      const eraser = await leace(dataset, { label: "topic", layer: 3 });
      await saveEraser(path, eraser);
      expect((await loadEraser(path)).apply(values)).toEqual(eraser.apply(values));
      expect(JSON.parse(await readFile(path, "utf8"))).toEqual(eraser.toJSON());
      await writeFile(path, "{");
      await expect(loadEraser(path)).rejects.toMatchObject({ code: "bad_eraser" });
      expect(() => eraserFromJSON({ ...eraser.toJSON(), left: [] })).toThrow(/left has 0 rows, and right 3/);
      expect(() => eraserFromJSON({ ...eraser.toJSON(), width: 9 })).toThrow(/the width is 9/);
      await expect(loadEraser(folder)).rejects.toMatchObject({ code: "bad_eraser" });
      await expect(loadEraser(join(folder, "none.json"))).rejects.toMatchObject({ code: "read_failed" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("saving what is no eraser leaves the good file as it is; a changed number is noticed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "residua-test-"));
    try {
      const path = join(folder, "eraser.json");
      const eraser = await leace(dataset, { label: "topic", layer: 3 });
      await saveEraser(path, eraser);
      const before = await readFile(path, "utf8");
      const refused = (given: unknown) => expect(saveEraser(path, given as never)).rejects;
      await refused(leace(dataset, { label: "topic", layer: 3 })).toThrow(/a promise: await it/);
      await refused({}).toMatchObject({ code: "invalid_request" });
      await refused({ toJSON: () => ({ ...eraser.toJSON(), rows: 9 }) }).toMatchObject({
        code: "bad_eraser",
      });
      expect(await readFile(path, "utf8")).toBe(before);
      expect(() => (eraser.classes as number[]).reverse()).toThrow(TypeError);
      await writeFile(path, JSON.stringify({ ...eraser.toJSON(), center: null }));
      await expect(loadEraser(path)).rejects.toThrow(/eraser\.json: .*SHA-256 differs/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
