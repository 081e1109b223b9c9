import { describe, expect, it } from "vitest";
import { judgeProof } from "../../../src/steering/proof/judge-proof.ts";
import { proveLayer } from "../../../src/steering/proof/layer-proof.ts";
import { steeringVector, type SteeringVectorOptions } from "../../../src/steering/steering-vector.ts";
import { codeOf } from "../code-of.ts";
import { capture, type Fault, numbers, positions, promptTokens, width } from "./steering-scene.ts";

const v = { rows: { 2: numbers(99) }, scale: 3 };
const none = new Float64Array(width);

function proofOf(options: SteeringVectorOptions, fault?: Fault) {
  const vectors = [steeringVector(options)];
  return proveLayer(vectors, {
    plain: capture([]),
    steered: capture(vectors, fault),
    layer: 2,
    rows: positions,
  });
}
const judged = (options: SteeringVectorOptions, fault?: Fault) =>
  codeOf(() => judgeProof(proofOf(options, fault)));
const at =
  (layer: number, change: Fault): Fault =>
  (row) =>
    row.layer === layer ? change(row) : row.change;
const steeredAt = (wrong: (position: number) => boolean, factor = 0): Fault =>
  at(2, ({ position, change }) => (wrong(position) ? change.map((value) => factor * value) : change));

describe("a right server passes", () => {
  it.each([
    ["plain", v],
    ["negative", { ...v, scale: -5 }],
    ["norm-matched", { ...v, scale: 0.4, normMatch: true }],
    ["positions", { ...v, positions: [0, 5] }],
    ["a row for each", { rows: { 2: [numbers(1), numbers(2)] }, positions: [3, 1], scale: 3 }],
    ["scale 0", { ...v, scale: 0 }],
  ])("%s", (_, options) => {
    expect(judged(options)).toBe("taken");
  });

  it("says by how much it differs, and leaves massive numbers out of account", () => {
    const proof = proofOf(v);
    expect(proof.steered).toHaveLength(6);
    for (const row of proof.steered) {
      expect(row.coefficient).toBeCloseTo(1, 1);
      expect(row.relativeError).toBeLessThan(row.allowed / 2);
      expect(row.allowed).toBeLessThan(0.2);
    }
    expect(judgeProof(proof).map(({ status, detail }) => `${status}: ${detail}`)).toEqual([
      expect.stringMatching(/^pass: layer 2: 4 of 4 prompt rows show scale · v, off by at most [0-9.]+ % \(/),
      expect.stringMatching(/^pass: layer 2: 2 of 2 generated rows/),
      "pass: layer 1 is as it was (within 0.0 %)",
    ]);
  });

  it("a change that rounding hides is unverified, not passed", () => {
    const checks = judgeProof(proofOf({ ...v, scale: 0.02 }));
    expect(checks.map(({ code, status }) => `${code} ${status}`).slice(0, 2)).toEqual([
      "steering_delta unverified",
      "steering_delta unverified",
    ]);
    expect(checks[0]?.detail).toContain("too small to tell from rounding");
  });
});

describe("a vector that no row shows is never a pass", () => {
  const statuses = (...options: SteeringVectorOptions[]) => {
    const vectors = options.map(steeringVector);
    const proof = proveLayer(vectors, {
      ...{ plain: capture([]), steered: capture(vectors) },
      ...{ layer: 2, rows: positions },
    });
    return judgeProof(proof).map(({ code, status }) => `${code} ${status}`);
  };

  it("positions beyond the rows that were compared", () => {
    expect(statuses({ ...v, positions: [20] })).toEqual([
      "steering_delta unverified",
      "steering_positions unverified",
      "steering_layers_below pass",
    ]);
  });

  it("beside one that is shown: another's positions, another's weakness, two that cancel", () => {
    const pass = ["steering_delta pass", "steering_delta pass"];
    const below = "steering_layers_below pass";
    expect(statuses(v, { ...v, positions: [20] })).toEqual([...pass, "steering_delta unverified", below]);
    const faint = { rows: { 2: numbers(98) }, scale: 1e-4 };
    expect(statuses(v, faint)).toEqual([...pass, "steering_delta unverified", below]);
    expect(statuses(v, { rows: { 2: numbers(98) }, scale: 2 })).toEqual([...pass, below]);
    expect(statuses(v, { ...v, scale: -3 })).toContain("steering_delta unverified");
    expect(statuses(v, { ...v, scale: -3 })).not.toContain("steering_delta pass");
  });

  it("names it", () => {
    const vectors = [v, { ...v, positions: [20] }].map(steeringVector);
    const steered = capture(vectors);
    const proof = proveLayer(vectors, { plain: capture([]), steered, layer: 2, rows: positions });
    expect(proof).toMatchObject({ vectors: [0, 1], shown: [0] });
    expect(judgeProof(proof)[2]?.detail).toMatch(/^layer 2: vectors 1 \(from 0\) were not seen/);
  });
});

describe("a wrong server is named", () => {
  it.each([
    ["S1: added twice", "steering_doubled", v, steeredAt(() => true, 2)],
    [
      "S2: the first generated token unsteered",
      "steering_rows_missed",
      v,
      steeredAt((p) => p === promptTokens),
    ],
    [
      "S2: the last prompt row unsteered",
      "steering_rows_missed",
      v,
      steeredAt((p) => p === promptTokens - 1),
    ],
    ["S3: only the prompt steered", "steering_prefill_only", v, steeredAt((p) => p >= promptTokens)],
    ["S4: nothing steered", "steering_dropped", v, steeredAt(() => true)],
    ["S7: the scale not applied", "steering_scale", { ...v, scale: 6 }, steeredAt(() => true, 1 / 6)],
    ["S7: the scale applied twice", "steering_scale", v, steeredAt(() => true, 3)],
    ["S7: the sign lost", "steering_scale", v, steeredAt(() => true, -1)],
    [
      "C6: norm_match of half the stream",
      "steering_norm_match",
      { ...v, scale: 0.8, normMatch: true },
      at(2, ({ change, position }) => change.map((value) => (0.4 + 0.01 * position) * value)),
    ],
    [
      "C11: index 0 on generated tokens",
      "steering_misplaced",
      { ...v, positions: [0] },
      at(2, ({ change, position }) =>
        position < promptTokens ? change : numbers(99).map((value) => 3 * value),
      ),
    ],
    [
      "C11: a generated position that is never reached",
      "steering_rows_missed",
      { ...v, positions: [1, 4] },
      steeredAt((p) => p === 4),
    ],
    ["another vector", "steering_delta", v, at(2, () => numbers(4).map((value) => 3 * value))],
    [
      "one number of the vector lost",
      "steering_delta",
      v,
      at(2, ({ change }) => change.map((value, i) => (i < 8 ? 0 : value))),
    ],
    [
      "a layer early",
      "steering_layers_below",
      v,
      ({ layer }) => (layer === 1 ? numbers(99).map((value) => 3 * value) : none),
    ],
    [
      "rows of another request",
      "steering_layers_below",
      v,
      ({ position, stream }) => (position > 1 ? stream.map((value) => -value) : none),
    ],
  ] as [string, string, SteeringVectorOptions, Fault][])("%s: %s", (_, code, options, fault) => {
    expect(judged(options, fault)).toBe(code);
  });

  it("names positions and the measured strength", () => {
    expect(() =>
      judgeProof(
        proofOf(
          v,
          steeredAt((p) => p >= promptTokens),
        ),
      ),
    ).toThrow("(positions 4, 5)");
    expect(() =>
      judgeProof(
        proofOf(
          v,
          steeredAt(() => true, 2),
        ),
      ),
    ).toThrow(/added twice \((1\.99\d|2\.00\d)/);
    expect(() =>
      judgeProof(
        proofOf(
          v,
          steeredAt(() => true),
        ),
      ),
    ).toThrow(/the change is (-?0\.00\d to )?-?0\.00\d times/);
  });

  it("noise of the layer below widens what is allowed, and hides no dropped vector", () => {
    const noisy = (share: number, factor: number): Fault => {
      return ({ layer, position, change, stream }) =>
        change.map(
          (value, i) =>
            (layer === 2 ? factor * value : 0) + share * (stream[i] ?? 0) * Math.sin(i * 5 + position),
        );
    };
    const strong = { ...v, scale: 20 };
    expect(judged(strong, noisy(0.02, 1))).toBe("taken");
    expect(judged(strong, noisy(0.02, 0))).toBe("steering_dropped");
  });
});
