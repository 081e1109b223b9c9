import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { exactProducts } from "../../../src/probes/convex/layer-products.ts";
import { standardSpace } from "../../../src/probes/convex/standard-space.ts";
import { mlpObjective } from "../../../src/probes/nonlinear/mlp-objective.ts";
import { mlp } from "../../../src/probes/nonlinear/mlp.ts";
import { meanLoss } from "../../../src/probes/nonlinear/score-loss.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { probeFromJSON } from "../../../src/probes/trained/probe-json.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { crossedRows } from "./token-rows.ts";
import { gradientDistance, torchFixture } from "./torch-fixture.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
  await tf.ready();
});

test.each(torchFixture.mlp)("value and gradient of $outputs outputs equal PyTorch's", async (one) => {
  const { width, values } = torchFixture;
  const matrix = probeMatrix(Float32Array.from(values), width);
  const included = new Uint8Array(one.targets.length).fill(1);
  const classes = one.outputs === 1 ? null : one.outputs;
  const problem = {
    space: standardSpace(matrix.values, width, included),
    shape: { width, hidden: one.hidden, outputs: one.outputs },
    learning: meanLoss({ classes, targets: one.targets, weights: null, included }),
    decay: one.decay,
  };
  const point = Float64Array.from(one.point);
  const exact = await mlpObjective({ ...problem, products: exactProducts(matrix) }, point);
  expect(exact.value).toBeCloseTo(one.value, 11);
  expect(gradientDistance(exact.gradient, one.gradient)).toBeLessThan(1e-11);
  const device = await mlpObjective({ ...problem, products: matrix }, point);
  expect(gradientDistance(device.gradient, one.gradient)).toBeLessThan(1e-5);
  matrix.dispose();
});

test("tells what no line tells, on rows that it has not seen", async () => {
  const probe = await trainProbe(crossedRows(400, 1), { probe: mlp({ hidden: 16 }) });
  const unseen = crossedRows(400, 2);
  expect(auroc(probe.score(unseen.values), unseen.labels).value).toBeGreaterThan(0.95);
});

test("repeats are equal bit for bit, another seed is not; P11: scoring draws nothing", async () => {
  const rows = crossedRows(100, 1);
  const train = (seed: number) => trainProbe(rows, { probe: mlp({ hidden: 4, seed }) });
  const [one, other, third] = [await train(0), await train(0), await train(1)];
  expect(one.toJSON()).toEqual(other.toJSON());
  expect(third.toJSON().scorer).not.toEqual(one.toJSON().scorer);
  expect(one.score(rows.values)).toEqual(one.score(rows.values));
});

test("P6: score(load(save)) is the same, and there is no direction", async () => {
  const rows = crossedRows(100, 1);
  const probe = await trainProbe(rows, { probe: mlp({ hidden: 4 }), layer: 2 });
  const loaded = probeFromJSON(JSON.parse(JSON.stringify(probe)));
  expect(loaded.score(rows.values)).toEqual(probe.score(rows.values));
  expect(() => probe.direction()).toThrow(expect.objectContaining({ code: "no_direction" }) as Error);
});

describe("P8", () => {
  test("constant features and scales of 1e4 give finite scores; three classes one column each", async () => {
    const { values, labels } = crossedRows(150, 3);
    const wide = new Float32Array(150 * 3);
    labels.forEach((_, row) =>
      wide.set([values[2 * row]! * 1e4 + 5e4, 7.25, values[2 * row + 1]! * 1e-4], row * 3),
    );
    const classes = labels.map((label, row) => (row % 3 === 0 ? "other" : label ? "yes" : "no"));
    const probe = await trainProbe(
      { values: wide, width: 3, labels: classes },
      { probe: mlp({ hidden: 8 }) },
    );
    const scores = probe.score(wide);
    expect(scores.length).toBe(450);
    expect(scores.every(Number.isFinite)).toBe(true);
  });

  test("one class, too few groups and unknown options are refused", async () => {
    const rows = crossedRows(40, 1);
    await expect(
      trainProbe({ ...rows, labels: rows.labels.map(() => true) }, { probe: mlp() }),
    ).rejects.toMatchObject({ code: "one_class" });
    const groups = rows.labels.map((_, row) => row % 3);
    await expect(trainProbe({ ...rows, groups }, { probe: mlp() })).rejects.toMatchObject({
      code: "too_few_groups",
    });
    expect(() => mlp({ dropout: 0.1 } as never)).toThrow(/dropout/);
    expect(() => mlp({ hidden: 0 })).toThrow(/hidden/);
  });
});
