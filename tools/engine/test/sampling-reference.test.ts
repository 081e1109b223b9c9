import { describe, expect, test } from "vitest";
import { changeScores } from "../src/change-scores.ts";
import { likeliest } from "../src/likeliest.ts";
import { argmax, sampleToken, samplingWeights } from "../src/sampling.ts";
import { fixtureJson } from "./support.ts";

interface Case {
  fields: Record<
    | "temperature"
    | "top_p"
    | "top_k"
    | "min_p"
    | "presence_penalty"
    | "frequency_penalty"
    | "repetition_penalty",
    number
  > & {
    logit_bias: Record<string, number>;
    min_tokens: number;
    stop_token_ids: number[];
    allowed_token_ids: number[] | null;
  };
  scores: number[];
  prompt: number[];
  output: number[];
  probabilities: number[];
}

const { cases } = await fixtureJson<{ cases: Case[] }>("sampling.json");

/** Both sides compute in double precision from the same float32 scores. */
const tolerance = 1e-12;

function changedScores({ fields, scores, prompt, output }: Case, change: Partial<Case["fields"]> = {}) {
  const generated = new Map<number, number>();
  for (const token of output) generated.set(token, (generated.get(token) ?? 0) + 1);
  const used = { ...fields, ...change };
  return changeScores(
    Float32Array.from(scores),
    {
      logitBias: new Map(Object.entries(used.logit_bias).map(([token, bias]) => [Number(token), bias])),
      penalties: {
        repetitionPenalty: used.repetition_penalty,
        presencePenalty: used.presence_penalty,
        frequencyPenalty: used.frequency_penalty,
      },
      barred: new Set(output.length < used.min_tokens ? used.stop_token_ids : []),
      allowed: used.allowed_token_ids && new Set(used.allowed_token_ids),
    },
    { prompt: new Set(prompt), generated },
  );
}

function probabilities(given: Case): number[] {
  const { temperature, top_p: topP, top_k: topK, min_p: minP } = given.fields;
  const { tokens, weights } = samplingWeights(changedScores(given), { temperature, topP, topK, minP });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = given.scores.map(() => 0);
  weights.forEach((weight, i) => (shares[tokens === null ? i : tokens[i]!] = weight / total));
  return shares;
}

describe("the distribution that a token is drawn from is vLLM's", () => {
  test.each(cases.map((given) => [JSON.stringify(changed(given.fields)), given] as const))(
    "%s",
    (_, given) => {
      const own = probabilities(given);
      given.probabilities.forEach((expected, token) => {
        expect(own[token] === 0).toBe(expected === 0);
        expect(Math.abs(own[token]! - expected)).toBeLessThan(tolerance);
      });
    },
  );

  test("every field changes it in some case", () => {
    const plain = probabilities({ ...cases[0]!, scores: cases[4]!.scores });
    expect(cases.filter((given) => given.probabilities.includes(0)).length).toBeGreaterThan(8);
    for (const field of ["presence_penalty", "frequency_penalty", "repetition_penalty"] as const) {
      const given = { ...cases[0]!, scores: cases[4]!.scores, fields: { ...cases[0]!.fields, [field]: 1.5 } };
      expect(probabilities(given)).not.toEqual(plain);
    }
  });
});

function changed(fields: Case["fields"]) {
  const neutral = cases[0]!.fields;
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(neutral[field as keyof Case["fields"]]),
    ),
  );
}

test("temperature 0 takes the likeliest after the penalties", () => {
  const given = cases[0]!;
  const options = { temperature: 0, topP: 1, topK: 0, minP: 0 };
  const plain = argmax(Float32Array.from(given.scores));
  const repeating = { ...given, output: Array<number>(40).fill(plain) };
  const scores = changedScores(repeating, { frequency_penalty: 2 });
  expect(sampleToken(scores, options, Math.random)).toBe(likeliest(Float32Array.from(given.scores), 2)[1]);
});

test("a repetition penalty of any size leaves scores finite", () => {
  for (const repetition_penalty of [Number.MIN_VALUE, 1e308, Number.MAX_VALUE]) {
    const scores = changedScores(cases[1]!, { repetition_penalty });
    expect(scores.every(Number.isFinite)).toBe(true);
    for (const temperature of [1e-5, 1, 100]) {
      const { weights } = samplingWeights(scores, { temperature, topP: 0.9, topK: 5, minP: 0.1 });
      expect(weights.length).toBeGreaterThan(0);
      expect(weights.every((weight) => weight >= 0 && weight <= 1)).toBe(true);
    }
  }
});

test("without a change the scores are untouched, with one the caller's array is", () => {
  const scores = Float32Array.from(cases[0]!.scores);
  const history = { prompt: new Set([1]), generated: new Map([[1, 1]]) };
  const none = {
    logitBias: new Map<number, number>(),
    penalties: { repetitionPenalty: 1, presencePenalty: 0, frequencyPenalty: 0 },
    barred: new Set<number>(),
    allowed: null,
  };
  expect(changeScores(scores, none, history)).toBe(scores);
  for (const change of [
    { penalties: { ...none.penalties, presencePenalty: 1 } },
    { logitBias: new Map([[1, 1]]) },
    { barred: new Set([1]) },
    { allowed: new Set([1]) },
  ])
    expect(changeScores(scores, { ...none, ...change }, history)).not.toBe(scores);
  expect(Array.from(scores)).toEqual(cases[0]!.scores);
});
