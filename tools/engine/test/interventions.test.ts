import { beforeAll, describe, expect, test } from "vitest";
import type { GenerationRequest } from "../src/generation-request.ts";
import type { Intervention } from "../src/interventions.ts";
import { defaultLimits, Scheduler } from "../src/scheduler.ts";
import { endlessTiny, fixtureJson, fixtureTensors, someVector, worstRow } from "./support.ts";

interface Reference {
  cases: {
    ids: number[];
    steering: { vector: string; scale: number; layers: number[]; positions: null }[];
    interventions: {
      kind: "ablate" | "clamp";
      direction: string;
      value?: number;
      layers: number[];
      positions: number[] | null;
    }[];
    greedy: number[];
  }[];
}

/** ‖difference‖ / ‖reference‖ of any row, float32 against float32. */
const tolerance = 1e-3;
const size = 96;
const layers = [0, 1, 2, 3, 4, 5];

let cases: Reference["cases"];
let tensors: Map<string, Float32Array>;
let submit: Scheduler["submit"];
beforeAll(async () => {
  const { network, tokenizer } = await endlessTiny();
  submit = (request) => new Scheduler(network, tokenizer, defaultLimits(network)).submit(request);
  ({ cases } = await fixtureJson<Reference>("tiny-interventions.json"));
  tensors = (await fixtureTensors("tiny-interventions.safetensors")) as Map<string, Float32Array>;
});

const vector = (name: string) => tensors.get(`vector.${name}`)!;
const requestOf = ({ ids, steering, interventions, greedy }: Reference["cases"][number]) => ({
  prompt: ids,
  maxTokens: greedy.length,
  temperature: 0,
  capture: layers,
  steering: steering.map(({ vector: name, scale, layers }) => ({
    layers,
    rows: Float32Array.from(layers.flatMap(() => [...vector(name)])),
    positions: null,
    scale,
    normMatch: false,
  })),
  interventions: interventions.map(
    ({ direction, ...rest }) => ({ ...rest, direction: vector(direction) }) as Intervention,
  ),
});
/** The worst row of a capture against one [layers, rows, hidden], and that of the comparison one layer off. */
function compare(capture: readonly Float32Array[], reference: Float32Array) {
  const layer = (index: number) =>
    reference.subarray(
      (index * reference.length) / layers.length,
      ((index + 1) * reference.length) / layers.length,
    );
  const rows = layer(0).length;
  return {
    worst: Math.max(...capture.map((values, i) => worstRow(values.subarray(0, rows), layer(i), size))),
    shifted: Math.min(
      ...layers.slice(1).map((i) => worstRow(capture[i - 1]!.subarray(0, rows), layer(i), size)),
    ),
  };
}
const coefficients = (rows: Float32Array, direction: Float32Array) =>
  Array.from(
    { length: rows.length / size },
    (_, at) =>
      direction.reduce((sum, value, i) => sum + value * rows[at * size + i]!, 0) / Math.hypot(...direction),
  );

describe("against hooks on transformers", () => {
  test("each layer's stream agrees in every row, decoded ones too, and the greedy tokens are equal", async () => {
    for (const [number, one] of cases.entries()) {
      const { choices, capture } = await submit(requestOf(one));
      expect(choices[0]!.tokens).toEqual(one.greedy);
      const { worst, shifted } = compare(capture!.values, tensors.get(`residual.${number}`)!);
      expect(worst).toBeLessThanOrEqual(tolerance);
      expect(shifted).toBeGreaterThan(10 * tolerance);
    }
  });

  test.each([
    ["without the interventions", { interventions: [] }],
    ["without the steering", { steering: [] }],
  ])("the same comparison fails %s", async (_, change) => {
    for (const [number, one] of cases.entries()) {
      const request = requestOf(one);
      if ("steering" in change && request.steering.length === 0) continue;
      const { capture } = await submit({ ...request, ...change });
      const { worst } = compare(capture!.values, tensors.get(`residual.${number}`)!);
      expect(worst).toBeGreaterThan(10 * tolerance);
    }
  });

  test("and with two ablations in the other order, for their directions overlap", async () => {
    const request = requestOf(cases[3]!);
    const { capture } = await submit({ ...request, interventions: request.interventions.toReversed() });
    expect(compare(capture!.values, tensors.get("residual.3")!).worst).toBeGreaterThan(10 * tolerance);
  });

  test("the half of the stream that a faulty capture holds is the feed-forward output", async () => {
    const [{ ids }] = cases as [Reference["cases"][number]];
    const faults = { halfResidual: true } as const;
    const { capture } = await submit({ prompt: ids, maxTokens: 1, capture: layers, faults });
    const { worst, shifted } = compare(capture!.values, tensors.get("feedForward")!);
    expect(worst).toBeLessThanOrEqual(tolerance);
    expect(shifted).toBeGreaterThan(10 * tolerance);
  });
});

test("a coefficient is what it is set to, where it is set; the stream across it stays", async () => {
  const direction = someVector(size, 8);
  const request: GenerationRequest = { prompt: [0, 265, 313, 295], maxTokens: 1, capture: layers };
  const plain = (await submit(request)).capture!.values;
  for (const [value, kind] of [
    [3, "clamp"],
    [0, "ablate"],
  ] as const) {
    const intervention = { kind, value, direction, layers: [2], positions: [1, 3, 9] };
    const edited = (await submit({ ...request, interventions: [intervention] })).capture!.values;
    expect(edited.slice(0, 2)).toEqual(plain.slice(0, 2));
    expect(edited[3]).not.toEqual(plain[3]);
    const before = coefficients(plain[2]!, direction);
    coefficients(edited[2]!, direction).forEach((coefficient, at) => {
      const set = at === 1 || at === 3;
      expect(coefficient).toBeCloseTo(set ? value : before[at]!, 4);
      const change = set ? (value - before[at]!) / Math.hypot(...direction) : 0;
      for (let i = 0; i < size; i++) {
        const moved = edited[2]![at * size + i]! - plain[2]![at * size + i]!;
        expect(moved).toBeCloseTo(change * direction[i]!, 4);
      }
    });
  }
});

describe("interventions that cannot be made name the field", () => {
  const direction = new Float32Array(size).fill(1);
  const ablation = { kind: "ablate", layers: [0], direction, positions: null } as const;
  test.each([
    ["layers", { layers: [6] }],
    ["layers", { layers: [1, 1] }],
    ["kind", { kind: "remove" }],
    ["direction", { direction: direction.subarray(1) }],
    ["direction", { direction: direction.map(() => 0) }],
    ["direction", { direction: direction.map(() => Infinity) }],
    ["positions", { positions: [0.5] }],
    ["value", { kind: "clamp", value: NaN }],
    ["value", { kind: "clamp" }],
  ])("%s %j", async (name, change) => {
    const interventions = [ablation, { ...ablation, ...change } as Intervention];
    const failure = submit({ prompt: [0], maxTokens: 1, interventions });
    const field = `interventions[1].${name}`;
    await expect(failure).rejects.toMatchObject({ code: "invalid_request", data: { field } });
  });

  test("one that breaks the scores says that it did", async () => {
    const clamp = { ...ablation, kind: "clamp", value: 1e300 } as const;
    await expect(submit({ prompt: [0], maxTokens: 1, interventions: [clamp] })).rejects.toMatchObject({
      code: "not_finite",
      data: { field: "interventions" },
    });
  });
});
