import { describe, expect, test } from "vitest";
import { evaluateSteering } from "../../src/steering/evaluate-steering.ts";
import { functionScorer } from "../../src/steering/scorers/function-scorer.ts";
import { patternScorer } from "../../src/steering/scorers/pattern-scorer.ts";
import { steeringEvaluationSchema } from "../../src/results/steering-evaluation.ts";
import { plantedLens } from "./planted-lens.ts";

const vocabulary = [" the", " a", " one", " two", " three", " four", " five", " six"];
const base = [2, 1.5, 1, 0.5, 0, -0.5, -1, -1.5];
/** Feature 0 sharpens all logits; feature 1 makes generated texts loop and leaves the rest alone. */
const lens = () =>
  plantedLens({
    vocabulary,
    logits: (_, dose) => base.map((logit) => logit * (1 + (dose[0] ?? 0))),
    text: (prompt, dose) =>
      (dose[1] ?? 0) > 1
        ? Array.from({ length: 24 }, (_, i) => [" Wait", ","][i % 2]!)
        : Array.from({ length: 24 }, (_, i) => ` ${prompt.length % 7}w${i}`),
  });
const vector = (...values: number[]) => ({ layer: 2, vector: Float32Array.from(values), method: "planted" });
const prompts = Array.from({ length: 12 }, (_, i) => ({ prompt: `say ${i}`, group: `${i}` }));
const neutral = ["one two three", "four five six seven"];
const options = { prompts, target: " a", twins: 0, draws: 100, neutral, scales: [0, 0.5, 1] };

const logSoftmax = (logits: number[]) => {
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits.map((logit) => logit - total);
};
const kl = (p: number[], q: number[]) => p.reduce((sum, each, i) => sum + Math.exp(each) * (each - q[i]!), 0);
const entropy = (p: number[]) => -p.reduce((sum, each) => sum + Math.exp(each) * each, 0);

describe("neutral text", () => {
  const before = logSoftmax(base);
  const after = logSoftmax(base.map((logit) => 2 * logit));

  test("KL, its reverse and the entropy change over the whole vocabulary, in closed form", async () => {
    const result = await evaluateSteering(lens(), { ...options, direction: vector(1, 0), neutralTop: "all" });
    const { neutral: shift } = result.scales[2]!;
    expect(shift).toMatchObject({ over: "the whole vocabulary", lowerBound: false, kl: { n: 5, groups: 2 } });
    expect(shift!.kl.value).toBeCloseTo(kl(after, before), 5);
    expect(shift!.reverseKl.value).toBeCloseTo(kl(before, after), 5);
    expect(shift!.entropyChange.value).toBeCloseTo(entropy(after) - entropy(before), 5);
    expect(result.baseline.entropy).toBeCloseTo(entropy(before), 5);
    expect(result.scales[0]!.neutral).toMatchObject({ kl: { value: 0 }, entropyChange: { value: 0 } });
    expect(result.baselineNoise.maxKl).toBe(0);
    expect(steeringEvaluationSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  test("of the likeliest tokens it is a lower bound, and says so", async () => {
    const result = await evaluateSteering(lens(), { ...options, direction: vector(1, 0), neutralTop: 3 });
    const { neutral: shift } = result.scales[2]!;
    expect(shift).toMatchObject({ over: "the likeliest tokens and one rest", lowerBound: true });
    expect(shift!.kl.value!).toBeGreaterThan(0.3 * kl(after, before));
    expect(shift!.kl.value!).toBeLessThan(kl(after, before));
    expect(result.notes.join()).toMatch(/lower bound/);
  });

  test("all of a small vocabulary is read where its size is known, else 20", async () => {
    const asked = async (vocabSize: number | undefined) => {
      const planted = lens();
      const describeModel = () => Promise.resolve({ vocabSize: { value: vocabSize } });
      await evaluateSteering(
        { ...planted, generate: planted.generate, describe: describeModel as never },
        { ...options, direction: vector(1, 0), scales: [1] },
      );
      return new Set(planted.calls.flatMap(({ prompt_logprobs: count }) => count ?? []));
    };
    expect(await asked(8)).toEqual(new Set([0, -1]));
    expect(await asked(undefined)).toEqual(new Set([0, 20]));
    expect(await asked(1e6)).toEqual(new Set([0, 20]));
  });

  test("an answer that is not the whole vocabulary is refused where it was asked for", async () => {
    const planted = lens();
    const cut: typeof planted.generate = async (request, given) =>
      planted.generate(request.prompt_logprobs === -1 ? { ...request, prompt_logprobs: 4 } : request, given);
    await expect(
      evaluateSteering({ generate: cut }, { ...options, direction: vector(1, 0), neutralTop: "all" }),
    ).rejects.toMatchObject({
      code: "bad_answer",
      message: expect.stringMatching(/not all of it/) as string,
    });
  });
});

describe("generated text", () => {
  const generation = { maxTokens: 24 };

  test("S11, S12: a loop is damage, though perplexity and KL see nothing", async () => {
    const result = await evaluateSteering(lens(), {
      ...options,
      direction: vector(0, 1),
      generation,
      scales: [-2, 0, 1, 2, 3],
    });
    const at = (scale: number) => result.scales.find((each) => each.scale === scale)!;
    expect(at(2).perplexity!.ratio).toBe(1);
    expect(at(2).neutral!.kl.value).toBe(0);
    expect(at(2).loops).toMatchObject({ looping: { value: 1 }, longestRepeat: { value: 12 } });
    expect(at(2).damage).toEqual([expect.stringMatching(/texts loop/)]);
    expect(at(1).loops!.looping.value).toBe(0);
    expect(at(1).loops!.distinct2.value).toBe(1);
    expect([-2, 0, 1].flatMap((scale) => at(scale).damage)).toEqual([]);
    expect(result.dose.firstDamage).toEqual({ negative: null, positive: { scale: 2, damage: at(2).damage } });
  });

  test("S15: two scorers are both reported; scores, changes and twins alike", async () => {
    const scorers = [
      patternScorer({ name: "waits", pattern: /wait/i }),
      functionScorer({ name: "words", score: ({ text }) => text.split(" ").length }),
    ];
    const { target: _, ...untargeted } = options;
    const result = await evaluateSteering(lens(), {
      ...untargeted,
      direction: vector(0, 2),
      scorers,
      twins: 6,
    });
    const [waits, words] = result.scales[2]!.scorers;
    expect(waits).toMatchObject({
      name: "waits",
      kind: "pattern",
      score: { value: 1 },
      change: { value: 1, n: 12 },
    });
    expect(words!.change.value).toBe(13 - 25);
    expect(result.scales[0]!.scorers[0]).toMatchObject({ score: { value: 0 }, change: { value: 0 } });
    expect(result.twins[1]!.comparisons.map(({ metric, direction }) => [metric, direction])).toEqual([
      ["waits", 1],
      ["words", -12],
    ]);
    expect(result.dose.metric).toBe("change of the score waits");
  });
});
