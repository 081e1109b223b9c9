import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "@residua/engine";
import { serve } from "../support.ts";

const running = serve();

const prompt = "The city of";
const common = { prompt, max_tokens: 24, n: 8, seed: 9 };
async function texts(fields: object): Promise<string[]> {
  return (await running.complete({ ...common, ...fields })).body.choices.map(({ text }) => text);
}
async function engineTexts(fields: Partial<GenerationRequest>): Promise<string[]> {
  const tokens = running.model.tokenizer.encode(prompt);
  const [generation] = await running.model.generate([
    { prompt: tokens, maxTokens: 24, n: 8, seed: 9, ...fields },
  ]);
  return generation!.choices.map(({ text }) => text);
}

describe("each field reaches the sampler under its own name", () => {
  test.each([
    [{ top_k: 3 }, { topK: 3 }],
    [{ min_p: 0.2 }, { minP: 0.2 }],
    [{ top_p: 0.3 }, { topP: 0.3 }],
    [{ presence_penalty: 2 }, { presencePenalty: 2 }],
    [{ frequency_penalty: -2 }, { frequencyPenalty: -2 }],
    [{ repetition_penalty: 8 }, { repetitionPenalty: 8 }],
  ])("%j", async (wire, engine) => {
    const own = await texts({ ...wire, temperature: 3 });
    expect(own).toEqual(await engineTexts({ ...engine, temperature: 3 }));
    expect(own).not.toEqual(await texts({ temperature: 3 }));
  });

  test("their defaults are OpenAI's: nothing is cut or penalised", async () => {
    const neutral = {
      top_k: -1,
      min_p: 0,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      repetition_penalty: 1,
      priority: 0,
    };
    const plain = await texts({});
    expect(await texts({ ...neutral, temperature: 1 })).toEqual(plain);
    expect(await texts({ ...neutral, top_k: 0 })).toEqual(plain);
    expect(await texts(Object.fromEntries(Object.keys(neutral).map((field) => [field, null])))).toEqual(
      plain,
    );
  });

  test("top_k 1 and min_p 1 take the likeliest at any temperature", async () => {
    const likeliest = await texts({ temperature: 0 });
    expect(await texts({ temperature: 100, top_k: 1 })).toEqual(likeliest);
    expect(await texts({ temperature: 100, min_p: 1 })).toEqual(likeliest);
  });
});

test("log probabilities are the model's own, whatever is cut or penalised", async () => {
  const ask = async (fields: object) =>
    (await running.complete({ ...common, n: 1, max_tokens: 1, logprobs: 5, ...fields })).body.choices[0]!
      .logprobs!;
  const plain = await ask({ temperature: 0 });
  const penalised = await ask({
    temperature: 0,
    repetition_penalty: 1.5,
    presence_penalty: 2,
    frequency_penalty: 2,
  });
  const cut = await ask({ temperature: 50, top_k: 1, min_p: 1, top_p: 0.1 });
  expect(cut).toEqual(plain);
  for (const [token, logprob] of Object.entries(plain.top_logprobs[0]!))
    expect(penalised.top_logprobs[0]![token]).toBe(logprob);
});
