import { beforeAll, describe, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { ldaPlane } from "../../src/projection/lda-plane.ts";
import { projectLayer } from "../../src/projection/project-layer.ts";
import { probeMatrix } from "../../src/probes/probe-matrix.ts";
import { projectionSchema, type Projection } from "../../src/results/projection.ts";
import { toTable } from "../../src/results/to-table.ts";
import { auroc } from "../../src/statistics/metrics/auroc.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { arrayDataset } from "../probes/sweep-data.ts";
import { fixture, unpacked } from "../results/views-fixture.ts";
import { plantedRows } from "../sweep/planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

const nameOf = (label: number) => ["calm", "angry", "sad"][label]!;

describe("principal components", () => {
  test.each(fixture.pca.map((one, i) => ({ ...one, i })))(
    "$i are scikit-learn's, signs too, and so are the ellipses",
    async ({ width, labels, points, variance, ellipses, ...rest }) => {
      const dataset = arrayDataset({
        hiddenSize: width,
        layers: [unpacked({ width, labels, ...rest })],
        columns: { example: labels.map((_, row) => `e${row}`), mood: labels.map(nameOf) },
      });
      const plane = await projectLayer(dataset, { layer: 0, label: "mood", share: 0.9 });
      expect(plane).toMatchObject({ method: "pca", group: "example", classes: ["angry", "calm", "sad"] });
      plane.axes.forEach((axis, k) => expect(axis.variance).toBeCloseTo(variance[k]!, 6));
      const size = Math.max(...points.flat().map(Math.abs));
      plane.points.forEach(({ x, y, label, example }, row) => {
        expect(x / size).toBeCloseTo(points[row]![0] / size, 5);
        expect(y / size).toBeCloseTo(points[row]![1] / size, 5);
        expect([label, example]).toEqual([nameOf(labels[row]!), `e${row}`]);
      });
      ellipses.forEach(({ mean, half, angle }, k) => {
        const own = plane.ellipses.find(({ label }) => label === nameOf(k))!;
        expect([own.x, own.y].map((value, i) => Math.abs(value - mean[i]!) / size < 1e-4)).toEqual([
          true,
          true,
        ]);
        expect(own.a / half[0]).toBeCloseTo(1, 4);
        expect(own.b / half[1]).toBeCloseTo(1, 4);
        expect(Math.abs(Math.sin(own.angle - angle))).toBeLessThan(1e-3);
        expect(own).toMatchObject({ share: 0.9, n: labels.filter((label) => label === k).length });
      });
      expect(projectionSchema.parse(JSON.parse(JSON.stringify(plane)))).toEqual(plane);
      expect(toTable(plane).numRows).toBeGreaterThan(2 * labels.length);
    },
  );

  test("that are one massive feature say so", async () => {
    const [, massive] = fixture.pca;
    const dataset = arrayDataset({
      hiddenSize: massive!.width,
      layers: [unpacked(massive!)],
      columns: { example: massive!.labels.map((_, row) => `e${row}`), y: massive!.labels },
    });
    const { notes } = await projectLayer(dataset, { layer: 0, label: "y" });
    expect(notes[0]).toMatch(/^Component 1 is 100 % feature 5 alone/);
  });

  test("that show BOS and nothing else say so", async () => {
    const positions = Array.from({ length: 80 }, (_, row) => row % 8);
    const random = createRandom(1, "bos");
    const tokens = arrayDataset({
      hiddenSize: 6,
      layers: [
        Float32Array.from(
          { length: 480 },
          (_, at) => random.gaussian() + (positions[Math.floor(at / 6)] === 0 ? 50 : 0),
        ),
      ],
      columns: {
        example: positions.map((_, row) => `e${row >> 3}`),
        position: positions,
        y: positions.map((_, row) => (row >> 3) % 2),
      },
    });
    const told = /^10 of 80 rows stand at the first token and are \d+ % of the spread along x/;
    const all = await projectLayer(tokens, { layer: 0, label: "y" });
    expect(all.notes).toContainEqual(expect.stringMatching(told));
    const others = await projectLayer(tokens, { layer: 0, label: "y", where: (row) => positions[row]! > 0 });
    expect(others.notes.join(" ")).not.toMatch(/first token/);
    const alone = await projectLayer(tokens, { layer: 0, label: "y", where: { position: 0 } });
    expect(alone.notes.join(" ")).not.toMatch(/first token/);
  });

  test("of rows that are all equal are a point, not NaN", async () => {
    const columns = { example: ["a", "b", "c"], y: [0, 0, 1] };
    const dataset = arrayDataset({ hiddenSize: 2, layers: [Float32Array.of(1, 2, 1, 2, 1, 2)], columns });
    const plane = await projectLayer(dataset, { layer: 0, label: "y" });
    expect(plane.points.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(plane.axes.map(({ variance }) => variance)).toEqual([null, null]);
    expect(plane.ellipses).toEqual([]);
  });

  test("draw some of many points and say so; axes stay those of all", async () => {
    const dataset = plantedRows({ groups: 30, row: ({ row }) => ({ y: row % 2 }) });
    const all = await projectLayer(dataset, { layer: 0, label: "y" });
    const some = await projectLayer(dataset, { layer: 0, label: "y", points: 7 });
    expect(some.points).toHaveLength(7);
    expect(all.points).toEqual(expect.arrayContaining(some.points));
    expect(some.ellipses).toEqual(all.ellipses);
    expect(some).toMatchObject({ n: 60, groups: 30 });
    expect(some.notes).toEqual(["7 of 60 rows are shown, drawn at random; axes and ellipses are of all."]);
  });
});

/** How well x (or y) tells the classes of two. */
function told({ points }: Projection, axis: "x" | "y"): number {
  return auroc(
    points.map((point) => point[axis]),
    points.map(({ label }) => label === 1),
  ).value!;
}

describe("discriminants", () => {
  test("of noise with more features than rows do not part the classes: no row is placed by its own label", async () => {
    const noise = plantedRows({
      groups: 60,
      hiddenSize: 300,
      row: ({ random }) => ({ y: random.below(2) }),
    });
    const plane = await projectLayer(noise, { layer: 0, label: "y", method: "lda" });
    expect(Math.abs(told(plane, "x") - 0.5)).toBeLessThan(0.12);
    expect(plane.notes[0]).toMatch(/on the other 4 of 5 folds of whole groups/);
  });

  test("of near copies in groups do not part the classes: no row is placed by its copies' labels", async () => {
    const groups = Array.from({ length: 40 }, (_, group) => createRandom(group, "copies"));
    const label = groups.map((random) => random.below(2));
    const middle = groups.map((random) => Array.from({ length: 30 }, () => random.gaussian()));
    const copies = plantedRows({
      ...{ groups: 40, perGroup: 5, hiddenSize: 30 },
      row: ({ group }) => ({ y: label[group]! }),
      signal: ({ row, feature }) => 20 * middle[Math.floor(row / 5)]![feature]!,
    });
    const plane = await projectLayer(copies, { layer: 0, label: "y", method: "lda" });
    expect(Math.abs(told(plane, "x") - 0.5)).toBeLessThan(0.2);
    const leaky = await projectLayer(copies, { layer: 0, label: "y", method: "lda", group: "example" });
    expect(told(leaky, "x")).toBeGreaterThan(0.8);
  });

  test("find what is planted, the larger label to the right, in standard deviations within classes", async () => {
    const planted = plantedRows({
      groups: 100,
      hiddenSize: 6,
      row: ({ row }) => ({ y: row % 2 }),
      signal: ({ feature, columns }) =>
        feature === 3 ? 3 * (columns["y"] as number) : feature === 1 ? 5 : 0,
    });
    const plane = await projectLayer(planted, { layer: 0, label: "y", method: "lda" });
    expect(told(plane, "x")).toBeGreaterThan(0.95);
    expect(Math.abs(told(plane, "y") - 0.5)).toBeLessThan(0.1);
    const [low, high] = plane.ellipses;
    expect(high!.x - low!.x).toBeGreaterThan(2.5);
    expect(high!.x - low!.x).toBeLessThan(3.5);
    expect(high!.x + low!.x).toBeLessThan(0.5);
    expect(plane.axes).toEqual([
      { name: "discriminant, in standard deviations within classes", variance: null },
      {
        name: "first component without the difference of means, in standard deviations within classes",
        variance: null,
      },
    ]);
    expect(projectionSchema.parse(JSON.parse(JSON.stringify(plane)))).toEqual(plane);
  });

  test("of three classes: folds' planes are turned onto each other, so that each class is one cloud", async () => {
    const three = plantedRows({
      ...{ groups: 90, hiddenSize: 10 },
      row: ({ row }) => ({ y: ["a", "b", "c"][row % 3]! }),
      signal: ({ feature, columns }) => (feature === "abc".indexOf(columns["y"] as string) ? 5 : 0),
    });
    const plane = await projectLayer(three, { layer: 0, label: "y", method: "lda" });
    expect(plane.classes).toEqual(["a", "b", "c"]);
    // Planted at the corners of a triangle of side 5√2 in standard deviations.
    const means = plane.ellipses.map(({ x, y }) => [x, y] as const);
    for (const [i, j] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const side = Math.hypot(means[i]![0] - means[j]![0], means[i]![1] - means[j]![1]);
      expect(side).toBeGreaterThan(5.5);
    }
    for (const { a } of plane.ellipses) expect(a).toBeLessThan(4.5);
    expect(plane.notes[1]).toMatch(/correlation of at least (1\.00|0\.9\d) \(x\) and (1\.00|0\.9\d) \(y\)/);
  });

  test("a row's own label does not move it", async () => {
    const random = createRandom(3, "own label");
    const values = Float32Array.from({ length: 60 * 5 }, () => random.gaussian());
    const classOf = Uint8Array.from({ length: 60 }, (_, row) => row % 2);
    const foldOf = Uint8Array.from({ length: 60 }, (_, row) => Math.floor(row / 2) % 3);
    const planeOf = async (labels: Uint8Array) => {
      const matrix = probeMatrix(values, 5);
      const plane = await ldaPlane(matrix, { classOf: labels, classes: 2, foldOf, folds: 3, seed: 0 });
      matrix.dispose();
      return plane;
    };
    const before = await planeOf(classOf);
    const flipped = classOf.map((label, row) => (foldOf[row] === 1 ? 1 - label : label));
    const after = await planeOf(flipped);
    foldOf.forEach((fold, row) => {
      if (fold === 1) expect(after.x[row]).toBe(before.x[row]);
      else expect(after.x[row]).not.toBe(before.x[row]);
    });
  });
});

test("labels, groups and options that do not fit are refused", async () => {
  const dataset = plantedRows({ groups: 60, row: ({ row }) => ({ y: row, z: 1, t: row % 2, example: "e" }) });
  const base = { layer: 0, label: "t" };
  await expect(projectLayer(dataset, { ...base, label: "y" })).rejects.toThrow(
    /holds 120 values.*at most 50/,
  );
  await expect(projectLayer(dataset, { ...base, label: "z", method: "lda" })).rejects.toThrow(/one value/);
  expect((await projectLayer(dataset, { ...base, label: "z" })).classes).toEqual([1]);
  await expect(projectLayer(dataset, { ...base, layer: 4 })).rejects.toThrow(/Layer 4 is not in the dataset/);
  await expect(projectLayer(dataset, { ...base, method: "umap" as never })).rejects.toThrow(/"pca", "lda"/);
  await expect(projectLayer(dataset, { ...base, group: "z", method: "lda" })).rejects.toMatchObject({
    code: "too_few_groups",
  });
  const tokens = arrayDataset({
    hiddenSize: 1,
    layers: [Float32Array.of(1, 2, 3, 4)],
    columns: { example: ["a", "a", "b", "b"], t: [0, 0, 1, 1] },
  });
  await expect(projectLayer(tokens, { ...base, method: "lda" })).rejects.toMatchObject({
    code: "group_required",
  });
  expect((await projectLayer(tokens, base)).groups).toBe(2);
});
