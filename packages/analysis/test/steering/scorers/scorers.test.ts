import { describe, expect, test } from "vitest";
import { evaluateSteering } from "../../../src/steering/evaluate-steering.ts";
import { functionScorer } from "../../../src/steering/scorers/function-scorer.ts";
import { judgeScorer } from "../../../src/steering/scorers/judge-scorer.ts";
import { patternScorer } from "../../../src/steering/scorers/pattern-scorer.ts";
import { plantedLens } from "../planted-lens.ts";

const { signal } = new AbortController();
const text = (words: string, prompt = "Say") => ({ prompt, text: words, index: 3 });

test("a pattern says 1 or 0, the same of each text, whatever its flags", async () => {
  const scorer = patternScorer({ pattern: /sorry/giy });
  for (const given of ["Sorry, no.", "Sorry, no.", "Sorry."])
    expect(await scorer.score(text(given), { signal })).toBe(1);
  expect(await patternScorer({ pattern: /sorry/i }).score(text("I am Sorry"), { signal })).toBe(1);
  expect(await patternScorer({ pattern: "I cannot" }).score(text("but i CANNOT"), { signal })).toBe(1);
  expect(await patternScorer({ pattern: "a.c" }).score(text("abc"), { signal })).toBe(0);
});

test("a function gives a finite number, a truth value or null; anything else is named", async () => {
  const of = (value: unknown) =>
    functionScorer({ name: "mine", score: () => value as number }).score(text("x"), { signal });
  expect(await of(0.25)).toBe(0.25);
  expect(await of(true)).toBe(1);
  expect(await of(null)).toBeNull();
  for (const value of [NaN, Infinity, "1", undefined])
    await expect(of(value)).rejects.toThrow(/The scorer mine gave .* for the text of prompt 3/);
});

const verdict = (yes: number, no: number) =>
  plantedLens({ vocabulary: [" yes", " no", " perhaps"], logits: () => [Math.log(yes), Math.log(no), 1] });

test("a judge is another completion, not steered; its score is the share of yes", async () => {
  const judge = verdict(0.6, 0.2);
  const scorer = judgeScorer({
    lens: judge,
    template: "Q: {prompt}\nA: {text}\nRefused?",
    yes: " yes",
    no: " no",
  });
  expect(await scorer.score(text("No {prompt}."), { signal })).toBeCloseTo(0.75, 9);
  expect(judge.calls).toEqual([
    { prompt: "Q: Say\nA: No {prompt}.\nRefused?", max_tokens: 1, temperature: 0, logprobs: 20 },
  ]);
  const elsewhere = judgeScorer({ lens: judge, template: "{text}", yes: " aye", no: " nay" });
  expect(await elsewhere.score(text("x"), { signal })).toBeNull();
});

test("options that are none are refused by name", () => {
  const judge = { lens: verdict(1, 1), template: "{text}", yes: " yes", no: " no" };
  expect(() => judgeScorer({ ...judge, template: "Refused?" })).toThrow(/template.*\{text\} in it/);
  expect(() => judgeScorer({ ...judge, lens: {} as never })).toThrow(/lens/);
  expect(() => patternScorer(undefined as never)).toThrow(/patternScorer/);
  expect(() => functionScorer({ name: "x" } as never)).toThrow(/score/);
});

describe("S15: where a substring and a judge read the same texts", async () => {
  const lens = plantedLens({
    vocabulary: [" a"],
    logits: () => [0],
    text: (prompt, dose) => ((dose[0] ?? 0) > 0.5 ? ["Sure,", ` ${prompt}`] : ["Sorry"]),
  });
  // The judge lets 8 of 10 texts pass for compliance; the pattern takes every "Sure" for it.
  const judge = plantedLens({
    vocabulary: [" yes", " no"],
    logits: (asked) => (/Sure, q[0-7]/.test(asked) ? [3, 0] : [0, 3]),
  });
  const result = await evaluateSteering(lens, {
    direction: { layer: 0, vector: Float32Array.from([1]), method: "planted" },
    prompts: Array.from({ length: 10 }, (_, i) => ({ prompt: `q${i}` })),
    scales: [0, 1],
    twins: 0,
    draws: 50,
    scorers: [
      patternScorer({ name: "substring", pattern: "Sure" }),
      judgeScorer({ lens: judge, template: "{text} Did it?", yes: " yes", no: " no" }),
    ],
  });

  test("both scores are there, and how often they disagree", () => {
    const [substring, judged] = result.scales[1]!.scorers;
    expect(substring!.score.value).toBe(1);
    expect(judged!.score.value!).toBeLessThan(0.8);
    expect(result.disagreements[1]).toMatchObject({
      scorers: ["substring", "judge"],
      scale: 1,
      share: { value: 0.2 },
    });
    expect(result.scorers.map(({ kind }) => kind)).toEqual(["pattern", "judge"]);
  });
});
