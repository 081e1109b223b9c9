import { beforeAll, expect, test } from "vitest";
import type { Network } from "../src/forward.ts";
import { loadNetwork, runAll, someVector, tinyModel } from "./support.ts";

const tokens = [0, 265, 313, 295, 350, 429, 274, 261];
const steered = 2;
let network: Network;
let plain: ReturnType<typeof runAll>;
let size: number;

beforeAll(async () => {
  network = await loadNetwork(tinyModel);
  size = network.config.hiddenSize;
  plain = runAll(network, tokens);
});

const row = (values: Float32Array, position: number) =>
  values.subarray(position * size, (position + 1) * size);
const norm = (values: ArrayLike<number>) => Math.hypot(...Array.from(values));
const deltas = (run: typeof plain, layer = steered) =>
  tokens.map((_, position) => {
    const after = row(run.residual[layer]!, position);
    const before = row(plain.residual[layer]!, position);
    return Array.from(after, (value, i) => value - before[i]!);
  });

test("a vector is added at every position of its layer, layers below stay, layers above change", () => {
  const rows = someVector(size, 1);
  const run = runAll(network, tokens, [
    { layers: [steered], rows, positions: null, scale: -1.5, normMatch: false },
  ]);
  for (const delta of deltas(run)) {
    delta.forEach((value, i) => expect(Math.abs(value + 1.5 * rows[i]!)).toBeLessThan(1e-4));
  }
  for (let layer = 0; layer < steered; layer++) expect(run.residual[layer]).toEqual(plain.residual[layer]);
  for (let layer = steered + 1; layer < network.config.layers; layer++) {
    for (const delta of deltas(run, layer)) expect(norm(delta)).toBeGreaterThan(0.01);
  }
});

test("rows go to their layers and only to their absolute positions; a position twice counts twice", () => {
  const rows = someVector(2 * 3 * size, 2);
  const positions = [6, 0, 6];
  const run = runAll(network, tokens, [{ layers: [3, 0], rows, positions, scale: 2, normMatch: false }]);
  const added = (layer: number, j: number) =>
    rows.subarray((layer * 3 + j) * size, (layer * 3 + j + 1) * size);
  deltas(run, 0).forEach((delta, position) => {
    delta.forEach((value, i) => {
      const expected =
        position === 0 ? 2 * added(1, 1)[i]! : position === 6 ? 2 * (added(1, 0)[i]! + added(1, 2)[i]!) : 0;
      expect(Math.abs(value - expected)).toBeLessThan(position === 0 || position === 6 ? 1e-4 : 1e-12);
    });
  });
  // Layer 3 sees what layer 0 changed and its own rows: take the first away to see the second.
  const below = runAll(network, tokens, [
    { layers: [0], rows: rows.slice(3 * size), positions, scale: 2, normMatch: false },
  ]);
  const at6 = row(run.residual[3]!, 6);
  row(below.residual[3]!, 6).forEach((value, i) => {
    expect(Math.abs(at6[i]! - value - 2 * (added(0, 0)[i]! + added(0, 2)[i]!))).toBeLessThan(1e-4);
  });
});

test("norm_match scales by the norm of the unsteered stream, also beside another vector", () => {
  const rows = someVector(size, 3);
  const other = someVector(size, 4);
  const run = runAll(network, tokens, [
    { layers: [steered], rows: other, positions: null, scale: 3, normMatch: false },
    { layers: [steered], rows, positions: null, scale: -0.5, normMatch: true },
  ]);
  deltas(run).forEach((delta, position) => {
    const own = norm(row(plain.residual[steered]!, position));
    const matched = delta.map((value, i) => value - 3 * other[i]!);
    expect(Math.abs(norm(matched) / own - 0.5)).toBeLessThan(1e-4);
    const factor = (-0.5 * own) / (norm(rows) + 1e-6);
    matched.forEach((value, i) => expect(Math.abs(value - factor * rows[i]!)).toBeLessThan(1e-4));
  });
});

test("a vector of zeros and a scale of 0 change no bit", () => {
  for (const [rows, scale] of [
    [new Float32Array(size), 5],
    [someVector(size, 5), 0],
  ] as const) {
    for (const normMatch of [false, true]) {
      const run = runAll(network, tokens, [{ layers: [1], rows, positions: null, scale, normMatch }]);
      expect(run.logits).toEqual(plain.logits);
    }
  }
});
