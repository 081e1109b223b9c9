import { describe, expect, test } from "vitest";
import { evaluateSteering } from "../../src/steering/evaluate-steering.ts";
import type { SteeringAnswer } from "../../src/steering/steering-answer.ts";
import { promptTargetShift } from "../../src/steering/target-shift.ts";
import { plantedLens } from "./planted-lens.ts";

const answer = (top: Record<string, number>): SteeringAnswer => ({
  choice: null,
  top: new Map(Object.entries(top)),
});
const far = (moved: number) => Object.fromEntries([5, 6, 7, 8].map((nats) => [`f${nats}`, moved - nats]));
const rule = { targets: [" yes"], aside: [" no"], controls: 3, gap: 1 };

test("controls are the nearest within the gap, never a target, the other choice or a respelling", () => {
  const before = answer({
    " yes": -2,
    yes: -2,
    " no": -2.1,
    a: -2.5,
    b: -1.6,
    c: -2.9,
    d: -2.95,
    e: -3.2,
    ...far(0),
  });
  // Most move by 0.1 whatever their likelihood, so the line of the others is level.
  const now = answer({
    " yes": -1,
    yes: -9,
    " no": -9,
    a: -2.4,
    b: -1.6,
    c: -2.6,
    d: -2.85,
    e: -3.1,
    ...far(0.1),
  });
  const found = promptTargetShift(now, before, rule);
  expect(found.shift).toBeCloseTo(1, 12);
  // b, a, c: 0, 0.1, 0.3.
  expect(found.controls).toBeCloseTo(0.4 / 3, 12);
  expect(found.net).toBeCloseTo(1 - 0.4 / 3, 12);
  expect(found.gap).toBeCloseTo((0.4 + 0.5 + 0.9) / 3, 12);
  expect(found.bounded).toBe(false);
});

test("the probabilities of several targets add up", () => {
  const before = answer({ " yes": Math.log(0.1), " sure": Math.log(0.1), a: -1.6, b: -1.7 });
  const now = answer({ " yes": Math.log(0.2), " sure": Math.log(0.2), a: -1.6, b: -1.7 });
  const found = promptTargetShift(now, before, { ...rule, targets: [" yes", " sure"] });
  expect(found.shift).toBeCloseTo(Math.log(0.4 / 0.2), 12);
});

test("what leaves the likeliest counts as the least of them, and is said to", () => {
  const before = answer({ " yes": -2, a: -2.1, b: -2.2 });
  expect(promptTargetShift(answer({ a: -2.1, b: -2.2, c: -4 }), before, rule)).toMatchObject({
    shift: -2,
    bounded: true,
  });
  expect(promptTargetShift(answer({ " yes": -2, a: -2.1, c: -3 }), before, rule).bounded).toBe(true);
});

test("a target that is not there at scale 0, or has no controls, has no net", () => {
  expect(promptTargetShift(answer({ a: -1 }), answer({ a: -1 }), rule)).toEqual({ bounded: false });
  const lonely = answer({ " yes": -0.1, a: -5, b: -6 });
  expect(promptTargetShift(lonely, lonely, rule)).toEqual({ shift: 0, bounded: false });
});

/** " yes" is as likely as four others and as unlikely against " the". */
const vocabulary = [" yes", " no", " maybe", " often", " never", " the", " a"];
const logits = [-1, -1.02, -0.98, -1.01, -0.99, 3, 2];
const direction = { layer: 1, vector: Float32Array.from([1, 0, 0, 0]), method: "planted" };
const prompts = Array.from({ length: 24 }, (_, i) => ({ prompt: `p ${i}`, group: `g${i >> 1}` }));
const options = { direction, prompts, target: " yes", scales: [-0.5, 0, 0.5], twins: 0, draws: 200 };
const ofPrompt = (prompt: string) => Number(prompt.split(" ")[1]) / 200;

test("S16: a temperature that lifts every token of like probability is no effect on the target", async () => {
  // At 0.5 all logits are halved: log p(yes) rises by some 2 nats, as does everything that was as likely.
  const lens = plantedLens({
    vocabulary,
    logits: (prompt, dose) => logits.map((logit) => (logit + ofPrompt(prompt)) * (1 - (dose[0] ?? 0))),
  });
  const { scales } = await evaluateSteering(lens, options);
  const [down, , up] = scales.map(({ target }) => target!);
  expect(up!.shift.value!).toBeGreaterThan(1);
  expect(up!.shift.low!).toBeGreaterThan(1);
  expect(Math.abs(up!.net.value!)).toBeLessThan(0.01);
  expect(down!.shift.value!).toBeLessThan(-1);
  for (const target of [up!, down!]) expect(target.verdict).toMatch(/no effect on the target|no difference/);
});

test("S16: a push on the target alone is one, and its controls stay", async () => {
  const lens = plantedLens({
    vocabulary,
    logits: (prompt, dose) =>
      logits.map((logit, token) => logit + ofPrompt(prompt) + (token === 0 ? 4 * (dose[0] ?? 0) : 0)),
  });
  const { scales } = await evaluateSteering(lens, options);
  const up = scales[2]!.target!;
  expect(up.net.value!).toBeCloseTo(2, 5);
  expect(up.net.low!).toBeGreaterThan(1.9);
  expect(up.verdict).toBeUndefined();
  expect(scales[1]!.target!.verdict).toMatch(/no difference/);
});

test("flips, valid and shifts are undefined without choices, with their reason", async () => {
  const lens = plantedLens({ vocabulary, logits: () => logits });
  const result = await evaluateSteering(lens, options);
  expect(result.choices).toBeNull();
  expect(result.scales[0]!.toFirst).toMatchObject({ value: null, reason: "no choices were given" });
  expect(result.target).toEqual({ tokens: [" yes"], controls: 5, controlGap: 1 });
});

describe("a temperature alone has a net of 0 on whichever side the controls lie", () => {
  const softened = (logits: readonly number[], inverse: number): SteeringAnswer => {
    const scaled = logits.map((logit) => logit * inverse);
    const total = Math.log(scaled.reduce((sum, logit) => sum + Math.exp(logit), 0));
    return answer(Object.fromEntries(scaled.map((logit, i) => [` t${i}`, logit - total])));
  };
  const sloped = [3, 2.3, 2.2, 2.1, 1.9, 0, -1];

  test.each([0.5, 0.9, 1.3, 2])("at logits × %d", (inverse) => {
    for (const targets of [[" t0"], [" t2"], [" t4"], [" t2", " t3"]]) {
      const found = promptTargetShift(softened(sloped, inverse), softened(sloped, 1), { ...rule, targets });
      expect(Math.abs(found.shift!)).toBeGreaterThan(0.01);
      expect(found.net).toBeCloseTo(0, 12);
    }
  });

  test("and a push beside it is told from it", () => {
    const pushed = sloped.map((logit, i) => (i === 0 ? logit + 0.4 : logit));
    const found = promptTargetShift(softened(pushed, 2), softened(sloped, 1), { ...rule, targets: [" t0"] });
    expect(found.net).toBeCloseTo(0.8, 12);
  });
});

describe("the target's tokens are read off scale 0", () => {
  const controls = { a: -2.1, b: -2.2 };

  test("another spelling never stands in for one that leaves the likeliest", () => {
    const before = answer({ true: -9, " true": -0.01, a: -9.1, b: -9.2 });
    const now = answer({ " true": -0.01, a: -9.1, b: -9.2, c: -9.4 });
    const found = promptTargetShift(now, before, { ...rule, targets: ["true"] });
    expect(found.shift).toBeCloseTo(-0.4, 12);
    expect(found.bounded).toBe(true);
  });

  test("two spellings of one token are one token, as are two of the same", () => {
    const before = answer({ " w0": Math.log(0.2), " w1": Math.log(0.2), ...controls });
    const now = answer({ " w0": Math.log(0.1), " w1": Math.log(0.1), ...controls });
    for (const targets of [
      [" w0", "w0", " w1"],
      [" w0", " w0", " w1"],
    ])
      expect(promptTargetShift(now, before, { ...rule, targets }).shift).toBeCloseTo(-Math.log(2), 12);
    const uneven = answer({ " w0": Math.log(0.1), " w1": Math.log(0.2), ...controls });
    expect(promptTargetShift(uneven, before, { ...rule, targets: [" w0", "w0", " w1"] }).shift).toBeCloseTo(
      Math.log(0.3 / 0.4),
      12,
    );
  });

  test("one of several that crosses the border of the likeliest is a bound, not a jump", () => {
    const before = answer({ " yes": -3.001, a: -3, b: -3.002 });
    const now = answer({ " yes": -3.001, a: -3, " sure": -3.001 });
    const several = { ...rule, targets: [" yes", " sure"] };
    for (const [one, other, sense] of [
      [now, before, 1],
      [before, now, -1],
    ] as const) {
      const found = promptTargetShift(one, other, several);
      expect(sense * found.shift!).toBeGreaterThanOrEqual(0);
      expect(Math.abs(found.shift!)).toBeLessThan(0.001);
      expect(found.bounded).toBe(true);
    }
  });
});
