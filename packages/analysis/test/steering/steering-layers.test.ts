import { expect, test } from "vitest";
import { evaluateSteering } from "../../src/steering/evaluate-steering.ts";
import { plantedLens } from "./planted-lens.ts";

const lens = () =>
  plantedLens({ vocabulary: [" yes", " a", " b"], logits: (_, dose) => [dose[0] ?? 0, 0, 0.1] });
const at = (layer: number, ...values: number[]) => ({
  layer,
  vector: Float32Array.from(values),
  method: `m${layer}`,
});
const options = {
  direction: at(3, 3, 4),
  prompts: [{ prompt: "x" }, { prompt: "y" }],
  target: " yes",
  scales: [1],
  twins: 2,
  draws: 10,
};

test("layers: one direction is added at all of them at once, and its twins too", async () => {
  const planted = lens();
  const result = await evaluateSteering(planted, { ...options, layers: [5, 2] });
  expect(result).toMatchObject({
    layer: 2,
    layers: [
      { layer: 2, norm: 5 },
      { layer: 5, norm: 5 },
    ],
  });
  for (const { steering } of planted.calls) {
    expect(steering![0]!.layers).toEqual([2, 5]);
    for (const row of steering![0]!.rows) expect(Math.hypot(...row)).toBeCloseTo(5, 5);
  }
  const twin = planted.calls.find(({ steering }) => Math.abs(steering![0]!.rows[0]![0]! - 3) > 1e-6)!;
  expect([...twin.steering![0]!.rows[0]!]).not.toEqual([...twin.steering![0]!.rows[1]!]);
});

test("several directions are one steering vector, each at its own layer and of its own norm", async () => {
  const result = await evaluateSteering(lens(), { ...options, direction: [at(4, 0, 2), at(1, 1, 0)] });
  expect(result.layers).toEqual([
    { layer: 1, norm: 1 },
    { layer: 4, norm: 2 },
  ]);
  expect(result.directionMethod).toBe("m4; m1");
});

test("S5: negative layers and layers given twice are refused before anything is sent", async () => {
  const planted = lens();
  const refused = (changed: object) => expect(evaluateSteering(planted, { ...options, ...changed })).rejects;
  await refused({ direction: at(-1, 1, 1) }).toThrow(/direction.*layer/);
  await refused({ layers: [-2] }).toThrow(/layers\[0\]: -2/);
  await refused({ layers: [2, 2] }).toThrow(/each layer once/);
  await refused({ layers: [1.5] }).toThrow(/layers\[0\]/);
  await refused({ direction: [at(1, 1, 1), at(1, 2, 1)] }).toThrow(/Layer 1 is given twice/);
  await refused({ direction: [at(1, 1, 1), at(2, 2)] }).toThrow(/has 1 numbers and that of layer 1 has 2/);
  await refused({ direction: [at(1, 1, 1), at(2, 2, 1)], layers: [1] }).toThrow(/leave layers out/);
  expect(planted.calls).toEqual([]);
});

test("options that are none, or leave nothing to measure, are refused by name", async () => {
  const refused = (given: unknown) => expect(evaluateSteering(lens(), given as never)).rejects;
  await refused(undefined).toThrow(/evaluateSteering/);
  await refused({ ...options, scale: [1] }).toThrow(/the field scale/);
  await refused({ ...options, target: undefined }).toThrow(/give choices, a target or scorers/);
  await refused({ ...options, target: undefined, choices: [" yes", " a"] }).toThrow(
    /prompts\[0\] has no from/,
  );
  await refused({ ...options, direction: { layer: 1, vector: [1, 2], method: "m" } }).toThrow(
    /a Float32Array/,
  );
  await refused({ ...options, scorers: [{ name: "x" }] }).toThrow(/scorers\[0\]/);
  await refused({ ...options, damage: { perplexity: 2 } }).toThrow(/damage/);
});

test("S14: the baseline is scale 0 of the same vector through the same path, and so are its repeats", async () => {
  const planted = lens();
  await evaluateSteering(planted, { ...options, twins: 0, baselineRepeats: 2 });
  const baselines = planted.calls.filter(({ steering }) => steering?.[0]?.scale === 0);
  expect(baselines.length).toBe(3 * 2);
  for (const { steering } of baselines) expect([...steering![0]!.rows[0]!]).toEqual([3, 4]);
  expect(planted.calls.every(({ steering }) => steering?.length === 1)).toBe(true);
});
