import { describe, expect, test } from "vitest";
import { differenceOfMeans } from "../../../src/probes/difference-of-means.ts";
import { fitProbe, scoreRows } from "../../../src/probes/probe-fit.ts";
import { ridge } from "../../../src/probes/linear/ridge.ts";
import { mlp } from "../../../src/probes/nonlinear/mlp.ts";
import type { Probe } from "../../../src/probes/probe.ts";
import { logistic } from "../../../src/probes/logistic/logistic.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { arrayDataset } from "../sweep-data.ts";
import { plantedRows } from "./planted-rows.ts";

const rows = plantedRows();
const dataset = arrayDataset({
  hiddenSize: rows.width,
  layers: [rows.values.map((value) => -value), rows.values],
  columns: { truth: rows.labels, group: rows.labels.map((_, row) => `g${row >> 1}`) },
});

test("trains on a layer of a dataset by label, and on the rows that where chooses", async () => {
  const probe = await trainProbe(dataset, {
    probe: logistic(),
    layer: 1,
    label: "truth",
    where: (row) => row < 40,
  });
  expect(probe).toMatchObject({
    name: "logistic",
    task: "binary",
    layer: 1,
    width: 5,
    positive: true,
    bias: "fitted",
    C: 1,
  });
  expect(probe.training).toMatchObject({ rows: 40, counts: [20, 20] });
  const heldOut = probe.score(rows.values.subarray(40 * 5));
  expect(auroc(heldOut, rows.labels.slice(40)).value).toBeGreaterThan(0.85);
});

test("scores as the fit does (P17: the scaler is folded into the weights, in raw space)", async () => {
  const scaled = {
    ...rows,
    values: rows.values.map((value, at) => (at % 5 === 0 ? value * 1e4 + 3e4 : value * 1e-3)),
  };
  const probe = await trainProbe(scaled, { probe: logistic() });
  const [fit] = await fitProbe(logistic(), scaled);
  expect([...probe.score(scaled.values)]).toEqual([...scoreRows(fit!, scaled.values)]);
  expect(auroc(probe.score(scaled.values), rows.labels).value).toBeGreaterThan(0.95);
});

describe("its direction", () => {
  test("is the raw-space weights, and leads to the positive class", async () => {
    for (const positive of [true, false]) {
      const probe = await trainProbe(rows, {
        probe: logistic(),
        layer: 7,
        label: "truth",
        positive,
        model: "m",
      });
      const direction = probe.direction();
      expect(direction).toMatchObject({
        layer: 7,
        n: { positive: 30, negative: 30 },
        source: { label: "truth", positive, model: "m" },
      });
      expect(Math.sign(direction.vector[0]!)).toBe(positive ? 1 : -1);
      expect(direction.method).toContain(`raises the score of ${positive}`);
      const moved = rows.values.map((value, at) => value + direction.vector[at % 5]!);
      const before = probe.score(rows.values);
      probe.score(moved).forEach((score, row) => expect(score).toBeGreaterThan(before[row]!));
    }
  });

  test("is refused where no layer was told, and for a class of a probe of two", async () => {
    const probe = await trainProbe(rows, { probe: differenceOfMeans() });
    expect(() => probe.direction()).toThrow(/layer was not told/);
    const told = await trainProbe(rows, { probe: differenceOfMeans(), layer: 0 });
    expect(() => told.direction({ class: "x" })).toThrow(/none for class "x"/);
    expect(() => told.direction({ klass: 1 } as never)).toThrow(/klass/);
  });
});

test("more than two values are classes, one column each against the rest", async () => {
  const labels = rows.labels.map((label, row) => (label ? "a" : row % 4 === 1 ? "b" : "c"));
  const probe = await trainProbe({ ...rows, labels }, { probe: differenceOfMeans(), layer: 0 });
  expect(probe).toMatchObject({ task: "classes", classes: ["a", "b", "c"], positive: null });
  expect(probe.training.counts).toEqual([30, 15, 15]);
  const scores = probe.score(rows.values);
  expect(scores.length).toBe(60 * 3);
  const ofA = labels.map((_, row) => scores[row * 3]!);
  expect(
    auroc(
      ofA,
      labels.map((label) => label === "a"),
    ).value,
  ).toBeGreaterThan(0.9);
  expect(() => probe.direction()).toThrow(/give class, one of "a", "b", "c"/);
  expect(probe.direction({ class: "a" }).n).toEqual({ positive: 30, negative: 30 });
});

test("rows without a label are left out", async () => {
  const labels = rows.labels.map((label, row) => (row < 10 ? null : label));
  const probe = await trainProbe({ ...rows, labels: labels as boolean[] }, { probe: differenceOfMeans() });
  expect(probe.training.rows).toBe(50);
});

describe("refuses", () => {
  const { values, width, labels } = rows;
  const train = (given: object, options: object = {}) =>
    trainProbe({ values, width, labels, ...given }, { probe: differenceOfMeans(), ...options } as never);

  test.each([
    ["one class", { labels: labels.map(() => true) }, {}, { code: "one_class" }],
    ["no row", { values: new Float32Array(0), labels: [] }, {}, { code: "no_rows" }],
    ["no label", { labels: labels.map(() => null) }, {}, { code: "no_rows" }],
    [
      "a row that is not finite",
      { values: values.map((v, at) => (at === 12 ? NaN : v)) },
      {},
      { code: "not_finite", message: /Row 2, feature 2 is NaN/ },
    ],
    ["another width", { width: 7 }, {}, { code: "wrong_width" }],
    ["labels of other rows", { labels: [true] }, {}, { code: "bad_column" }],
    [
      "two values with none said to be positive",
      { labels: labels.map((l) => (l ? "x" : "y")) },
      {},
      { code: "bad_label", message: /say which/ },
    ],
    ["a positive that no row has", {}, { positive: "x" }, { code: "bad_label" }],
    [
      "a weight below 0",
      { weights: labels.map(() => -1) },
      {},
      { code: "bad_option", message: /weights\[0\]/ },
    ],
    ["an unknown option", {}, { lambda: 2 }, { code: "invalid_request", message: /lambda/ }],
    ["an unknown field of the rows", { lables: [] }, {}, { code: "invalid_request", message: /lables/ }],
    ["no probe", {}, { probe: "logistic" }, { code: "invalid_request", message: /probe/ }],
    ["C of a probe without one", {}, { C: 1 }, { code: "bad_option" }],
    [
      "no C of a probe with several",
      {},
      { probe: logistic({ C: [1, 2] }) },
      { code: "bad_option", message: /give C/ },
    ],
    [
      "a fit that does not converge",
      {},
      { probe: logistic({ C: 1e300 }) },
      { code: "not_converged", message: /gradient norm .* after \d+ steps/ },
    ],
  ])("%s", async (_, given, options, { code, message = /./ }: { code: string; message?: RegExp }) => {
    await expect(train(given, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  test("no options, and a layer or label that the dataset has not", async () => {
    await expect(trainProbe(rows, undefined as never)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(trainProbe(null as never, {} as never)).rejects.toMatchObject({ code: "invalid_request" });
    const options = { probe: logistic(), layer: 9, label: "truth" };
    await expect(trainProbe(dataset, options)).rejects.toThrow(/holds 0, 1/);
    await expect(trainProbe(dataset, { ...options, layer: 0, label: "lie" })).rejects.toThrow(/lie/);
  });
});

describe("texts say what to look at", () => {
  test("rows that are not finite by their own numbers", async () => {
    const spoilt = arrayDataset({
      hiddenSize: rows.width,
      layers: [rows.values.slice().fill(Number.NaN, 10 * rows.width, 10 * rows.width + 1)],
      columns: { truth: rows.labels },
    });
    const run = trainProbe(spoilt, { probe: logistic(), layer: 0, label: "truth", where: (row) => row > 4 });
    await expect(run).rejects.toThrow(/Row 10, feature 0 is NaN/);
  });

  test("which way to turn a strength, where there is one", async () => {
    const stuck = (probe: Probe): Probe => ({
      ...probe,
      fitAt: async (...given) =>
        (await probe.fitAt(...given)).map((fit) => ({ ...fit, gradientNorm: Infinity })),
    });
    await expect(trainProbe(rows, { probe: stuck(ridge()), C: 1 })).rejects.toThrow(
      /\(a higher λ, given as C\)/,
    );
    await expect(trainProbe(rows, { probe: stuck(logistic()) })).rejects.toThrow(/\(a lower C\)/);
    await expect(trainProbe(rows, { probe: stuck(differenceOfMeans()) })).rejects.toThrow(/steps. Look for/);
  });

  test("too few groups for a probe that keeps some to stop by", async () => {
    const few = { ...rows, groups: rows.labels.map((_, row) => row % 2) };
    await expect(trainProbe(few, { probe: mlp() })).rejects.toMatchObject({
      code: "too_few_groups",
      message: expect.stringMatching(/takes 5 groups of each class at least/) as string,
    });
  });

  test("infinity names no class, and no probe of rows of its own takes what is none", async () => {
    const labels = rows.labels.map((_, row) => [0, 1, Infinity][row % 3]!);
    await expect(trainProbe({ ...rows, labels }, { probe: differenceOfMeans() })).rejects.toMatchObject({
      code: "bad_label",
    });
    const refused = (probe: unknown, data: unknown) =>
      expect(fitProbe(probe as never, data as never)).rejects;
    await refused(undefined, rows).toThrow(/a linear probe, such as logistic/);
    await refused(mlp(), rows).toThrow(/others are trained by trainProbe/);
    await refused(logistic(), undefined).toThrow(/fitProbe/);
    await refused(logistic(), { ...rows, width: 0 }).toThrow(/width/);
    await refused(logistic(), { ...rows, width: 7 }).toThrow(/whole rows of its width 7/);
    const fit = { weights: Float64Array.of(1, 2), bias: 0 };
    expect(() => scoreRows(fit, Float32Array.of(1, 2, 3, Number.NaN))).toThrow(/Row 1, feature 1 is NaN/);
    expect(() => scoreRows(fit, null as never)).toThrow(/no Float32Array/);
    expect(() => scoreRows(null as never, rows.values)).toThrow(/scoreRows fit/);
  });
});
