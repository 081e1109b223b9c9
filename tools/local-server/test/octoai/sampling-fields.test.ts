import type { GenerationRequest } from "@residua/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { completed, serveOctoai } from "./octoai-support.ts";

const running = serveOctoai();
let eos: number;
beforeAll(() => {
  eos = running.model.config.eosTokenIds[0]!;
});

const prompt = "The city of";
const common = { prompt, max_tokens: 24, n: 8, seed: 9, temperature: 3 };
async function texts(fields: object): Promise<string[]> {
  return (await completed(running, { ...common, ...fields })).choices.map(({ text }) => text);
}

describe("each field reaches the sampler under its own name, and acts", () => {
  test.each<[object, Partial<GenerationRequest>]>([
    [{ min_p: 0.2 }, { minP: 0.2 }],
    [{ top_p: 0.3 }, { topP: 0.3 }],
    [{ presence_penalty: 2 }, { presencePenalty: 2 }],
    [{ frequency_penalty: -2 }, { frequencyPenalty: -2 }],
    [{ repetition_penalty: 8 }, { repetitionPenalty: 8 }],
    [{ temperature: 0.4 }, { temperature: 0.4 }],
    [
      { temperature: 2, ignore_eos: true },
      { temperature: 2, ignoreEos: true },
    ],
    [
      { logit_bias: { 33: 7, 34: -100 } },
      {
        logitBias: new Map([
          [33, 7],
          [34, -100],
        ]),
      },
    ],
  ])("%j", async (wire, engine) => {
    const own = await texts({ temperature: 2, ...wire });
    const [generation] = await running.model.generate([
      {
        prompt: running.model.tokenizer.encode(prompt),
        maxTokens: 24,
        n: 8,
        seed: 9,
        temperature: 2,
        ...engine,
      },
    ]);
    expect(own).toEqual(generation!.choices.map(({ text }) => text));
    expect(own).not.toEqual(await texts({ temperature: 2 }));
  });
});

describe("logit_bias", () => {
  const first = async (fields: object) =>
    (await completed(running, { prompt, max_tokens: 1, temperature: 0, logprobs: 2, ...fields })).choices[0]!;

  test("bans at -100 and selects alone at 100, as the page says", async () => {
    const ids = running.model.tokenizer.encode(prompt);
    const [generation] = await running.model.generate([{ prompt: ids, maxTokens: 1, temperature: 0 }]);
    const likeliest = generation!.choices[0]!.tokens[0]!;
    expect((await first({ logit_bias: { [likeliest]: -100 } })).text).not.toBe((await first({})).text);
    const rare = ids.at(-1)!;
    const drawn = await completed(running, {
      prompt,
      max_tokens: 5,
      n: 4,
      temperature: 2,
      logit_bias: { [rare]: 100 },
    });
    for (const { text } of drawn.choices)
      expect(text).toBe(running.model.tokenizer.decode(Array<number>(5).fill(rare)));
  });

  test("can keep the end token out, and can force it", async () => {
    const forced = await completed(running, { prompt, logit_bias: { [eos]: 100 } });
    expect(forced.choices[0]).toMatchObject({ text: "", finish_reason: "stop" });
    expect(forced.usage.completion_tokens).toBe(1);
    const long = { prompt, max_tokens: 200, n: 4, seed: 2 };
    const ends = async (fields: object) =>
      (await completed(running, { ...long, ...fields })).choices.map(({ finish_reason }) => finish_reason);
    expect(await ends({})).toContain("stop");
    expect(new Set(await ends({ logit_bias: { [eos]: -100 } }))).toEqual(new Set(["length"]));
  });
});

test("ignore_eos goes on after end tokens", async () => {
  const forced = await completed(running, {
    prompt,
    max_tokens: 7,
    ignore_eos: true,
    logit_bias: { [eos]: 100 },
  });
  expect(forced.choices[0]).toMatchObject({ text: "", finish_reason: "length" });
  expect(forced.usage.completion_tokens).toBe(7);
});

test("log probabilities are the model's own, whatever is biased, cut or penalised", async () => {
  const ask = async (fields: object) =>
    (await completed(running, { prompt, max_tokens: 1, logprobs: 5, temperature: 0, ...fields })).choices[0]!
      .logprobs!.content[0]!;
  const plain = await ask({});
  const changed = await ask({
    logit_bias: { [eos]: 100 },
    repetition_penalty: 1.5,
    presence_penalty: 2,
    min_p: 1,
    top_p: 0.1,
  });
  expect(changed.token).not.toBe(plain.token);
  expect(changed.top_logprobs).toEqual(plain.top_logprobs);
});
