import type { LogitLens, LogitLensReading } from "@residua/lens";
import { expect, test } from "vitest";
import { logitLensTable } from "../../src/captures/logit-lens-table.ts";
import { logitLensSchema } from "../../src/results/logit-lens.ts";
import { toTable } from "../../src/results/to-table.ts";

const tokens = [
  { id: 1, text: "<s>", role: "prompt" as const },
  { id: null, text: null, role: "prompt" as const },
  { id: 7, text: " in", role: "prompt" as const },
];

/** Each number tells its layer and position. */
function lensOf(change: Partial<LogitLensReading> = {}): LogitLens {
  const positions = [2, 1];
  const layers = [-1, 5];
  const at = ({ layer, position }: { layer: number; position: number }): LogitLensReading => ({
    ...{ layer, position, token: tokens[position]! },
    top: [
      { id: 10 * layer + position + 20, text: `t${layer}`, logprob: -0.1 * position },
      { id: 3, text: "x", logprob: -4 },
    ],
    ...{ entropy: layer + position / 10, kl: layer === 5 ? -0 : 1.5 },
    ...change,
  });
  return {
    ...{ model: "small", layers, positions, tokens: positions.map((p) => tokens[p]!), top: 2, at },
    ...{ topIds: new Int32Array(8), topLogprobs: new Float64Array(8) },
    ...{ entropy: new Float64Array(4), kl: new Float64Array(4) },
  };
}

test("readings stand at their layers and positions", () => {
  const table = logitLensTable(lensOf());
  expect(table.tokens).toEqual([
    { position: 2, id: 7, text: " in" },
    { position: 1, id: null, text: null },
  ]);
  expect(table.layers.map(({ layer }) => layer)).toEqual([-1, 5]);
  expect(table.layers[1]!.readings[1]).toEqual({
    top: [
      { id: 71, text: "t5", logprob: -0.1 },
      { id: 3, text: "x", logprob: -4 },
    ],
    entropy: 5.1,
    kl: 0,
  });
  expect(logitLensSchema.parse(JSON.parse(JSON.stringify(table)))).toEqual(table);
});

test("as an Arrow table every number tells its layer, position and token", () => {
  const rows = toTable(logitLensTable(lensOf()))
    .toArray()
    .map((row) => (row as { toJSON(): object }).toJSON());
  expect(rows).toContainEqual(
    expect.objectContaining({
      layer: 5,
      position: 1,
      id: 71,
      text: "t5",
      metric: "layers.readings.top.logprob",
      value: -0.1,
    }),
  );
  expect(rows).toContainEqual(
    expect.objectContaining({ layer: -1, position: 2, metric: "layers.readings.entropy", value: -0.8 }),
  );
});

test("numbers that are not finite and what is no logit lens are refused", () => {
  expect(() => logitLensTable(lensOf({ kl: NaN }))).toThrow(
    /layer -1 at position 2 holds a number that is not finite/,
  );
  expect(() => logitLensTable({} as never)).toThrow(/logitLens\.layers/);
});
