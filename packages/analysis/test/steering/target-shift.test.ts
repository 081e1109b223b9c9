import { expect, test } from "vitest";
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
