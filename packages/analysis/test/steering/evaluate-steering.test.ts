import { describe, expect, test } from "vitest";
import { evaluateSteering } from "../../src/steering/evaluate-steering.ts";
import { steeringEvaluationSchema } from "../../src/results/steering-evaluation.ts";
import type { SteeringPrompt } from "../../src/steering/steering-common.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { linearLens } from "./linear-lens.ts";

const width = 64;
const unit = (j: number, length: number) =>
  Float32Array.from({ length: width }, (_, i) => (i === j ? length : 0));
/** Feature 0 speaks for true and against false; feature 1 lifts every other token; the rest do nothing. */
const readout = [1, -1, 0, 0, 0, 0].map((truth, token) =>
  Array.from({ length: width }, (_, j) => (j === 0 ? truth : j === 1 && token > 1 ? 1 : 0)),
);
const direction = { layer: 3, vector: unit(0, 2), method: "by hand" };

/** 20 false statements with −0.25, −0.75 … −9.75 and 20 true ones with the opposite. */
const prompts = Array.from({ length: 40 }, (_, i): SteeringPrompt => {
  const difference = (Math.floor(i / 2) + 0.5) / 2;
  return {
    prompt: `truth ${i % 2 ? difference : -difference}`,
    group: `g${i >> 1}`,
    from: i % 2 ? 0 : 1,
  };
});
const options = {
  direction,
  prompts,
  choices: [" true", " false"] as const,
  scales: [2, -2, 0, 1],
  neutral: ["one two three", "four five"],
  draws: 300,
};

describe("a direction with a known effect", async () => {
  const lens = linearLens({ readout });
  const result = await evaluateSteering(lens, options);
  const at = (scale: number) => result.scales.find((each) => each.scale === scale)!;

  test("is plain JSON of the schema, scales ascending", () => {
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(steeringEvaluationSchema.parse(result)).toEqual(result);
    expect(result.scales.map(({ scale }) => scale)).toEqual([-2, 0, 1, 2]);
    expect(result).toMatchObject({ model: "planted", layer: 3, directionNorm: 2, n: 40, groups: 20 });
    expect(result.baseline.asExpected.value).toBe(1);
  });

  test("turns exactly the statements that the added logit difference outweighs", () => {
    // Scale s adds 4s to log p(true) − log p(false).
    // At 1 false statements with more than −4 turn: −0.25 … −3.75, 8 of 20; at 2 those with more than −8: 16 of 20.
    expect(at(1).toFirst).toMatchObject({ value: 8 / 20, n: 20, groups: 20 });
    expect(at(2).toFirst.value).toBe(16 / 20);
    expect(at(-2).toSecond.value).toBe(16 / 20);
    for (const share of [at(1).toSecond, at(2).toSecond, at(-2).toFirst, at(0).toFirst, at(0).toSecond]) {
      expect(share.value).toBe(0);
    }
    // Clopper and Pearson's interval of 40 prompts in 20 groups, all hit.
    expect(at(2).valid).toMatchObject({ value: 1, high: 1, n: 40, groups: 20 });
    expect(at(2).valid.low).toBeCloseTo(0.025 ** (1 / 20), 12);
    expect(at(2).toFirst.low!).toBeLessThan(0.8);
    expect(at(2).toFirst.high!).toBeGreaterThan(0.8);
  });

  test("shifts the log probability difference by 4 a scale, and the control tokens not at all", () => {
    for (const scale of [-2, 1, 2]) {
      expect(at(scale).shift.value).toBeCloseTo(4 * scale, 5);
      expect(at(scale).controlShift.value).toBeCloseTo(0, 9);
      expect(at(scale).verdict).toBeUndefined();
    }
    expect(at(0).shift.value).toBe(0);
    expect(at(0).verdict).toMatch(/no difference/);
    expect(result.baselineNoise).toEqual({
      repeats: 1,
      maxShift: 0,
      meanShift: 0,
      shiftOfMean: 0,
      changedAnswers: 0,
      maxNet: 0,
      netOfMean: 0,
      maxKl: 0,
    });
  });

  test("gives the perplexity of neutral text in closed form", () => {
    // All logits 0: six tokens alike. Scale 2 makes them 4, −4 and four zeros, and the text's tokens are the first.
    expect(result.baseline.perplexity).toBeCloseTo(6, 9);
    const steered = (Math.exp(4) + Math.exp(-4) + 4) / Math.exp(4);
    expect(at(2).perplexity).toMatchObject({ tokens: 3 });
    expect(at(2).perplexity!.value).toBeCloseTo(steered, 5);
    expect(at(2).perplexity!.ratio).toBeCloseTo(steered / 6, 5);
  });

  test("random twins of equal norm hardly turn anything", () => {
    expect(result.twins.map(({ scale, count }) => [scale, count])).toEqual([
      [-2, 20],
      [1, 20],
      [2, 20],
    ]);
    // A twin reads 2 / √64 of the direction's effect on average: ± 1 of log odds at scale 2.
    for (const { flipped, max, valid } of result.twins) {
      expect(flipped.value!).toBeLessThan(0.1);
      expect(flipped.low!).toBeLessThanOrEqual(flipped.value!);
      expect(max).toBeGreaterThanOrEqual(flipped.value!);
      expect(valid.value!).toBeGreaterThan(0.9);
    }
    expect(result.twins[2]!.flipped.value!).toBeGreaterThan(0);
  });

  test("the baseline goes the same path as the rest: a steering vector of scale 0, one token, greedy", () => {
    // The 2 texts' own tokens; 40 prompts and 2 texts at 0 (twice), −2, 1, 2; 20 twins × 40 prompts × 3 scales.
    expect(lens.calls.length).toBe(2 + 5 * 42 + 20 * 40 * 3);
    for (const call of lens.calls) {
      expect(call.steering).toHaveLength(1);
      expect(call.steering![0]!.layers).toEqual([3]);
      expect(call).toMatchObject({ max_tokens: 1, temperature: 0 });
    }
    expect(lens.calls.filter((call) => call.steering![0]!.scale === 0).length).toBe(2 + 2 * 42);
    const norms = lens.calls.map((call) => Math.hypot(...call.steering![0]!.rows[0]!));
    for (const norm of norms) expect(norm).toBeCloseTo(2, 5);
    expect(lens.mostInFlight).toBe(4);
  });

  test("repeats with its seed", async () => {
    expect(await evaluateSteering(linearLens({ readout }), options)).toEqual(result);
    const other = await evaluateSteering(linearLens({ readout }), { ...options, seed: 9 });
    expect(other.twins).not.toEqual(result.twins);
    expect(other.scales.map(({ toFirst }) => toFirst.value)).toEqual(
      result.scales.map(({ toFirst }) => toFirst.value),
    );
  });
});

const small = { ...options, twins: 0, neutral: [], draws: 50 };

test("a direction that lifts other words turns nothing and costs validity", async () => {
  const damage = { ...direction, vector: unit(1, 2) };
  const result = await evaluateSteering(linearLens({ readout }), {
    ...small,
    direction: damage,
    scales: [10],
  });
  expect(result.scales[0]).toMatchObject({
    toFirst: { value: 0 },
    toSecond: { value: 0 },
    valid: { value: 0 },
    perplexity: null,
  });
});

test("a shift inside the noise of the baseline is called no difference", async () => {
  // Every other call of the unstable server is off by 1.
  const lens = linearLens({ readout, jitter: (call) => (Math.floor((call - 1) / 40) % 2 ? 1 : 0) });
  const result = await evaluateSteering(lens, { ...small, scales: [0.1, 1], concurrency: 1 });
  expect(result.baselineNoise.maxShift).toBeCloseTo(1, 9);
  expect(result.scales[0]!.verdict).toMatch(/no difference/);
  expect(result.scales[1]!.verdict).toBeUndefined();
});

test("prompts that are wrong at scale 0 take no part in flips, and are counted", async () => {
  const mixed = [...prompts.slice(0, 10), { prompt: "truth 1", group: "x", from: 1 as const }];
  const result = await evaluateSteering(linearLens({ readout }), { ...small, prompts: mixed, scales: [2] });
  expect(result.scales[0]!.toFirst).toMatchObject({ value: 1, n: 5 });
  expect(result.baseline.asExpected.value).toBeCloseTo(10 / 11, 9);
  expect(result.notes.join()).toMatch(/1 of 11 prompts are not answered as they should be/);
});

test("a share of no prompt is undefined with its reason", async () => {
  const onlyTrue = prompts.filter(({ from }) => from === 0);
  const result = await evaluateSteering(linearLens({ readout }), {
    ...small,
    prompts: onlyTrue,
    scales: [2],
  });
  expect(result.scales[0]!.toFirst).toMatchObject({ value: null, low: null, reason: /no prompt/ });
  expect(result.scales[0]!.toSecond.value).toBe(0);
});

test("twins can be tried on fewer prompts and scales, and the result says so", async () => {
  const lens = linearLens({ readout });
  const result = await evaluateSteering(lens, {
    ...small,
    twins: 3,
    twinPrompts: 10,
    twinScales: [2],
    scales: [1, 2],
  });
  expect(lens.calls.length).toBe(4 * 40 + 3 * 10);
  expect(result.twins.map(({ scale }) => scale)).toEqual([2]);
  expect(result.notes.join()).toMatch(/twins were tried on 10 of 40 prompts/);
});

test("an abort stops the experiment, and progress counts every request", async () => {
  const stop = new AbortController();
  const lens = linearLens({ readout });
  const onProgress = ({ done }: { done: number }) => done === 20 && stop.abort(new Error("enough"));
  await expect(evaluateSteering(lens, { ...small, signal: stop.signal, onProgress })).rejects.toThrow(
    "enough",
  );
  expect(lens.calls.length).toBeLessThan(30);
  const seen: number[] = [];
  await evaluateSteering(linearLens({ readout }), {
    ...small,
    scales: [1],
    onProgress: ({ done, total }) => seen.push(done / total),
  });
  expect(seen.length).toBe(120);
  expect(seen.at(-1)).toBe(1);
});

test("a failing request ends the experiment with its own error", async () => {
  const lens = linearLens({ readout });
  const failing: typeof lens.generate = (request, given) =>
    lens.calls.length > 30 ? Promise.reject(new Error("server gone")) : lens.generate(request, given);
  await expect(evaluateSteering({ generate: failing }, small)).rejects.toThrow("server gone");
  expect(lens.calls.length).toBeLessThan(40);
});

test("what allows no experiment is refused before anything is sent", async () => {
  const lens = linearLens({ readout });
  const refused = (changed: object) => expect(evaluateSteering(lens, { ...small, ...changed })).rejects;
  await refused({ choices: ["true", " true"] }).toThrow(/two different words/);
  await refused({ prompts: [] }).toThrow(/prompts: \[\]; allowed: a list that is not empty/);
  await refused({ scales: [NaN] }).toThrow(/scales\[0\]: NaN; allowed: a finite number/);
  await refused({ draws: 0 }).toThrow(/draws: 0; allowed: a number of at least 1/);
  await refused({ twinScales: [3] }).toThrow(/twinScales has 3/);
  await expect(evaluateSteering(undefined as never, small)).rejects.toThrow(/lens: nothing; allowed: a lens/);
  await refused({ concurrency: 0 }).toThrow(/concurrency: 0; allowed: a number of at least 1/);
  await refused({ direction: { ...direction, vector: new Float32Array(4) } }).toThrow(/not zero/);
  expect(lens.calls.length).toBe(0);
});

test("a mean is held against the noise of means, not against the noisiest prompt", async () => {
  const random = createRandom(3, "noise of means");
  const many = Array.from({ length: 200 }, (_, i) => ({
    prompt: "truth 1",
    group: `g${i}`,
    from: 0 as const,
  }));
  const lens = linearLens({ readout, jitter: () => 0.05 * random.gaussian() });
  const result = await evaluateSteering(lens, { ...small, prompts: many, scales: [0, 0.02], draws: 200 });
  const { maxShift, shiftOfMean } = result.baselineNoise;
  expect(maxShift).toBeGreaterThan(0.1);
  expect(shiftOfMean).toBeLessThan(0.03);
  // 0.02 adds 0.08.
  const [same, more] = result.scales;
  expect(same!.verdict).toMatch(/no difference/);
  expect(more!.shift.value!).toBeLessThan(maxShift);
  expect(more!.verdict).toBeUndefined();
});

test("choices that no prompt can be answered by end the experiment at scale 0, in words", async () => {
  const lens = linearLens({ readout });
  const choices = [" true story", " false story"] as const;
  await expect(evaluateSteering(lens, { ...small, twins: 20, choices })).rejects.toThrow(
    /" true story", " false story" are among the likeliest next tokens of none.*must be one token.*" true"/,
  );
  expect(lens.calls.length).toBe(40);
  const one = await evaluateSteering(lens, { ...small, scales: [1], choices: [" true", " false story"] });
  expect(one.notes.join()).toMatch(/" false story" is among the likeliest next tokens of no prompt/);
});
