import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { exactProducts } from "../../../src/probes/convex/layer-products.ts";
import { standardSpace } from "../../../src/probes/convex/standard-space.ts";
import { attentionObjective } from "../../../src/probes/nonlinear/attention-objective.ts";
import { attention } from "../../../src/probes/nonlinear/attention.ts";
import { innerRows } from "../../../src/probes/nonlinear/inner-rows.ts";
import { meanLoss } from "../../../src/probes/nonlinear/score-loss.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { probeFromJSON } from "../../../src/probes/trained/probe-json.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import type { TrainedProbe } from "../../../src/probes/trained/trained-probe.ts";
import { auroc } from "../../../src/statistics/metrics/auroc.ts";
import { tokenRows } from "./token-rows.ts";
import { gradientDistance, torchFixture } from "./torch-fixture.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
  await tf.ready();
});

test.each(torchFixture.attention)("value and gradient of $heads heads equal PyTorch's", async (one) => {
  const { width, values } = torchFixture;
  const matrix = probeMatrix(Float32Array.from(values), width);
  const rows = one.sequences.length;
  const sequences = one.targets.length;
  const problem = {
    space: standardSpace(matrix.values, width, new Uint8Array(rows).fill(1)),
    shape: { width, heads: one.heads, outputs: one.outputs },
    sequenceOf: one.sequences,
    sequences,
    learning: meanLoss({
      classes: one.outputs === 1 ? null : one.outputs,
      targets: one.targets,
      weights: null,
      included: new Uint8Array(sequences).fill(1),
    }),
    decay: one.decay,
  };
  const point = Float64Array.from(one.point);
  const exact = await attentionObjective({ ...problem, products: exactProducts(matrix) }, point);
  expect(exact.value).toBeCloseTo(one.value, 11);
  expect(gradientDistance(exact.gradient, one.gradient)).toBeLessThan(1e-11);
  matrix.dispose();
});

/** Prompts' scores and labels. */
function scored(probe: TrainedProbe, { values, width, labels, examples }: ReturnType<typeof tokenRows>) {
  const prompts = [...new Set(examples)];
  const firstOf = (prompt: number) => examples.indexOf(prompt);
  return {
    scores: prompts.map((prompt) => {
      const last = examples.lastIndexOf(prompt) + 1;
      return probe.scoreSequence!(values.slice(firstOf(prompt) * width, last * width))[0]!;
    }),
    labels: prompts.map((prompt) => labels[firstOf(prompt)]!),
  };
}

test("finds the token that tells, on prompts that it has not seen, and repeats bit for bit", async () => {
  const rows = tokenRows(160, 1);
  const probe = await trainProbe(rows, { probe: attention() });
  const { scores, labels } = scored(probe, tokenRows(160, 2));
  expect(auroc(scores, labels).value).toBeGreaterThan(0.95);
  expect((await trainProbe(rows, { probe: attention() })).toJSON()).toEqual(probe.toJSON());
});

test("P6: score(load(save)) is the same for sequences and rows; there is no direction", async () => {
  const rows = tokenRows(40, 1);
  const probe = await trainProbe(rows, { probe: attention({ heads: 2 }), layer: 2 });
  const loaded = probeFromJSON(JSON.parse(JSON.stringify(probe)));
  expect(loaded.scoreSequence!(rows.values)).toEqual(probe.scoreSequence!(rows.values));
  expect(loaded.score(rows.values)).toEqual(probe.score(rows.values));
  expect(() => probe.direction()).toThrow(expect.objectContaining({ code: "no_direction" }) as Error);
});

test("a sequence of one row scores as that row; the order of rows changes nothing", async () => {
  const rows = tokenRows(40, 1);
  const probe = await trainProbe(rows, { probe: attention() });
  const first = rows.values.slice(0, rows.width);
  expect(probe.scoreSequence!(first)[0]).toBeCloseTo(probe.score(first)[0]!, 12);
  const two = rows.values.slice(0, 2 * rows.width);
  const turned = new Float32Array([...two.subarray(rows.width), ...two.subarray(0, rows.width)]);
  expect(probe.scoreSequence!(turned)[0]).toBeCloseTo(probe.scoreSequence!(two)[0]!, 12);
});

describe("inner rows", () => {
  const data = (rows: ReturnType<typeof tokenRows>, groups: number[]) => ({
    task: "binary" as const,
    rows: rows.labels.length,
    width: rows.width,
    values: rows.values,
    targets: Float64Array.from(rows.labels, Number),
    classes: null,
    weights: null,
    groupOf: Uint32Array.from(groups),
    exampleOf: Uint32Array.from(rows.examples),
  });

  test("P2: whole groups stop, whole groups learn", () => {
    const rows = tokenRows(40, 1);
    const groups = rows.examples.map((prompt) => Math.floor(prompt / 4));
    const { learning, stopping } = innerRows(data(rows, groups), 0);
    const sides = new Map<number, Set<number>>();
    groups.forEach((group, row) => {
      expect(learning[row]! + stopping[row]!).toBe(1);
      sides.set(group, (sides.get(group) ?? new Set()).add(learning[row]!));
    });
    expect([...sides.values()].every((side) => side.size === 1)).toBe(true);
  });
});

test("rows without examples, and an example of two labels, are refused", async () => {
  const { examples, ...rows } = tokenRows(20, 1);
  await expect(trainProbe(rows, { probe: attention() })).rejects.toMatchObject({ code: "group_required" });
  const labels = rows.labels.map((label, row) => (row === 0 ? !label : label));
  await expect(trainProbe({ ...rows, labels, examples }, { probe: attention() })).rejects.toThrow(
    /one example and have other labels/,
  );
  expect(() => attention({ heads: 0 })).toThrow(/heads/);
});
