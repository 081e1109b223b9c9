import * as tf from "@tensorflow/tfjs";
import { beforeAll, expect, test } from "vitest";
import { inlp } from "../../../src/probes/erasure/inlp.ts";
import { Nullspace } from "../../../src/probes/erasure/nullspace.ts";
import { fitProbe } from "../../../src/probes/probe-fit.ts";
import { linearSvm } from "../../../src/probes/svm/linear-svm.ts";
import { inlpSchema } from "../../../src/results/inlp.ts";
import { createRandom } from "../../../src/statistics/random.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
  await tf.ready();
});

/** Classes told by features 0 and 1, in groups of four rows. */
function planted(rows: number, options: { classes?: number; strength?: number; seed?: number } = {}) {
  const { classes = 2, strength = 2, seed = 1 } = options;
  const random = createRandom(seed, "planted classes");
  const width = 6;
  const labels = Array.from({ length: rows }, (_, row) => row % classes);
  const values = new Float32Array(rows * width);
  labels.forEach((label, row) => {
    for (let j = 0; j < width; j++) values[row * width + j] = random.gaussian() + 3;
    values[row * width]! += label === 1 ? strength : 0;
    values[row * width + 1]! += label === 2 ? strength : 0;
  });
  const columns: Record<string, unknown[]> = {
    topic: labels.map((label) => `topic ${label}`),
    group: labels.map((_, row) => Math.floor(row / 4)),
  };
  return {
    ...{ rows, layers: [2], hiddenSize: width, columns: Object.keys(columns), values },
    column: (name: string) => Promise.resolve(columns[name]!),
    layer: () => Promise.resolve(values),
  };
}

test("takes the concept out, round by round, until held-out groups are told by chance", async () => {
  const data = planted(200);
  const { result, eraser } = await inlp(data, { label: "topic", layer: 2 });
  expect(inlpSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  expect(result.stopped).toBe("chance");
  expect(result.group).toBe("group");
  expect(result.rounds[0]!.auroc.value).toBeGreaterThan(0.85);
  const last = result.rounds.at(-1)!;
  expect(last.auroc.low).toBeLessThanOrEqual(0.5);
  expect(eraser.rank).toBe(last.rank);
  expect(eraser.rank).toBe(result.rounds.length - 1);
  expect(eraser.rank).toBeLessThan(4);
  const labels = Array.from({ length: 200 }, (_, row) => row % 2);
  const told = async (values: Float32Array) => {
    const [fit] = await fitProbe(linearSvm({ C: 1 }), { values, width: 6, labels });
    return labels.filter((label, row) => fit!.scores[row]! > 0 === (label === 1)).length / 200;
  };
  expect(await told(data.values)).toBeGreaterThan(0.8);
  expect(await told(eraser.apply(data.values))).toBeLessThan(0.68);
});

test("of three classes each round takes two directions; repeats are equal", async () => {
  const data = planted(240, { classes: 3, strength: 3 });
  const { result } = await inlp(data, { label: "topic", layer: 2 });
  expect(result.eraser.classes).toEqual(["topic 0", "topic 1", "topic 2"]);
  expect(result.rounds[1]!.rank).toBeGreaterThanOrEqual(2);
  expect(result.stopped).toBe("chance");
  expect((await inlp(data, { label: "topic", layer: 2 })).result).toEqual(result);
});

test("labels that nothing tells stop before the first projection: rows keep what they have", async () => {
  const { result, eraser } = await inlp(planted(120, { strength: 0 }), { label: "topic", layer: 2 });
  expect(result.stopped).toBe("chance");
  expect(eraser.rank).toBe(0);
});

test("stops after as many rounds as are allowed", async () => {
  const { result } = await inlp(planted(200, { strength: 6 }), {
    label: "topic",
    layer: 2,
    rounds: 1,
    C: 1e-3,
  });
  expect(result).toMatchObject({ stopped: "rounds" });
  expect(result.rounds.map(({ rank }) => rank)).toEqual([0, 1]);
});

test("P2: held-out groups are scored by what their fold did not learn: noise that tells groups apart stops at once", async () => {
  const random = createRandom(5, "places of groups");
  const width = 30;
  const labelOf = Array.from({ length: 50 }, () => random.below(2));
  // Each group has a place of its own: rows of one group on both sides, or scores of rows that were fitted on, would tell its label.
  const places = Float32Array.from({ length: 50 * width }, () => 3 * random.gaussian());
  const values = Float32Array.from({ length: 200 * width }, (_, at) => {
    const group = Math.floor(at / width) >> 2;
    return places[group * width + (at % width)]! + 0.1 * random.gaussian();
  });
  const dataset = {
    ...planted(200),
    hiddenSize: width,
    column: (name: string) =>
      Promise.resolve(
        Array.from({ length: 200 }, (_, row) => (name === "topic" ? labelOf[row >> 2]! : row >> 2)),
      ),
    layer: () => Promise.resolve(values),
  };
  const { result } = await inlp(dataset, { label: "topic", layer: 2 });
  expect(result.rounds[0]!.auroc.value).toBeLessThan(0.75);
  expect(result.stopped).toBe("chance");
});

test("one class, too few groups, no group column and unknown options are refused", async () => {
  const data = planted(40);
  const run = (changes: Partial<typeof data>, options = {}) =>
    inlp({ ...data, ...changes }, { label: "topic", layer: 2, ...options });
  await expect(run({}, { where: (row: number) => row % 2 === 0 })).rejects.toMatchObject({
    code: "one_class",
  });
  await expect(run({}, { where: (row: number) => row < 8 })).rejects.toMatchObject({
    code: "too_few_groups",
  });
  await expect(run({ columns: ["topic"] })).rejects.toMatchObject({ code: "group_required" });
  await expect(run({}, { layer: 7 })).rejects.toMatchObject({ code: "bad_option" });
  await expect(run({}, { round: 2 })).rejects.toThrow(/the field round/);
  await expect(run({}, { where: () => Promise.resolve(false) })).rejects.toThrow(/where.*returned object/s);
  await expect(inlp(null as never, { label: "topic", layer: 2 })).rejects.toThrow(/dataset/);
  const spoilt = data.values.slice().fill(Number.NaN, 20 * 6, 20 * 6 + 1);
  await expect(
    run({ layer: () => Promise.resolve(spoilt) }, { where: (row: number) => row > 4 }),
  ).rejects.toThrow(/Row 20, feature 0/);
  const lone = (name: string) =>
    data.column(name).then((all) => all.map((own, row) => (name === "group" && row === 30 ? null : own)));
  await expect(run({ column: lone }, { where: (row: number) => row > 4 })).rejects.toThrow(
    /Row 30 has no group/,
  );
});

test("rows without a label are left out, NaN and whole numbers of int64 columns too", async () => {
  const data = planted(80);
  const labelled = (of: (row: number) => unknown) =>
    inlp(
      {
        ...data,
        column: (name) =>
          name === "topic"
            ? Promise.resolve(Array.from({ length: 80 }, (_, row) => (row < 4 ? Number.NaN : of(row))))
            : data.column(name),
      },
      { label: "topic", layer: 2, rounds: 1 },
    );
  const { result } = await labelled((row) => row % 2);
  expect(result.eraser).toMatchObject({ rows: 76, classes: [1, 0] });
  expect((await labelled((row) => BigInt(row % 2))).result.eraser.left).toEqual(result.eraser.left);
});

test("once all dimensions are gone nothing is told, not by rounding either", async () => {
  const data = planted(120, { classes: 3, strength: 60 });
  const { result } = await inlp(data, { label: "topic", layer: 2 });
  expect(["chance", "nothing-left"]).toContain(result.stopped);
  const last = result.rounds.at(-1)!;
  if (last.rank === 6) expect(last.auroc.value).toBe(0.5);
  const space = new Nullspace(data.values, 6);
  space.take(
    Array.from({ length: 6 }, (_, j) => Float64Array.from({ length: 6 }, (_, k) => Math.cos(j * k + j))),
  );
  expect(space.basis.length).toBe(6);
  expect(space.values().every((value) => value === 0)).toBe(true);
});

test("the nullspace takes a direction once", () => {
  const space = new Nullspace(Float32Array.of(1, 2, 3, 4, 5, 6), 3);
  expect(space.take([Float64Array.of(2, 0, 0), Float64Array.of(-5, 0, 0), Float64Array.of(1, 1, 0)])).toBe(2);
  expect([...space.values()]).toEqual([0, 0, 3, 0, 0, 6]);
  expect(space.take([Float64Array.of(3, 4, 0)])).toBe(0);
});
