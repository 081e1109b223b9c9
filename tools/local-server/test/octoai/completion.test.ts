import { describe, expect, test } from "vitest";
import type { Running } from "../support.ts";
import { completed, serveOctoai, startOctoai } from "./octoai-support.ts";

const running = serveOctoai();

const prompt = "The city of";
const encode = (text: string) => running.model.tokenizer.encode(text);

describe("an answer", () => {
  test("has the documented fields", async () => {
    const before = Math.floor(Date.now() / 1000);
    const answer = await completed(running, { prompt, max_tokens: 4, temperature: 0 });
    const [generation] = await running.model.generate([
      { prompt: encode(prompt), maxTokens: 4, temperature: 0 },
    ]);
    const { text, finishReason, tokens } = generation!.choices[0]!;
    expect(answer).toMatchObject({
      object: "text_completion",
      model: "residua/tiny",
      choices: [{ index: 0, text, finish_reason: finishReason, logprobs: null }],
      usage: {
        prompt_tokens: encode(prompt).length,
        completion_tokens: tokens.length,
        total_tokens: encode(prompt).length + tokens.length,
      },
    });
    expect(answer.created).toBeGreaterThanOrEqual(before);
    expect(answer.created).toBeLessThanOrEqual(before + 60);
  });

  test("takes 16 tokens and one choice where nothing is said, and null where the page says nullable", async () => {
    const plain = await completed(running, { prompt, seed: 5, ignore_eos: true });
    expect(plain.usage.completion_tokens).toBe(16);
    const nulls = { logit_bias: null, logprobs: null, peft: null, suffix: null, user: null };
    const same = await completed(running, { prompt, seed: 5, ignore_eos: true, ...nulls });
    expect(same.choices).toEqual(plain.choices);
  });

  test("only needs a model: the prompt is an empty text then", async () => {
    const { usage, choices } = await completed(running, { temperature: 0, max_tokens: 3 });
    expect(usage.prompt_tokens).toBe(encode("").length);
    expect(choices).toEqual(
      (await completed(running, { prompt: encode(""), temperature: 0, max_tokens: 3 })).choices,
    );
  });

  test("has choice i of prompt p at p × n + i, of texts and of token ids", async () => {
    const texts = ["The city", "A fine"];
    const fields = { max_tokens: 5, n: 2, seed: 3 };
    const both = await completed(running, { prompt: texts, ...fields });
    expect(both.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    const alone = await Promise.all(texts.map((prompt) => completed(running, { prompt, ...fields })));
    expect(both.choices.map(({ text }) => text)).toEqual(
      alone.flatMap(({ choices }) => choices.map(({ text }) => text)),
    );
    const ids = await completed(running, { prompt: texts.map(encode), ...fields });
    expect(ids.choices).toEqual(both.choices);
    expect(both.usage.prompt_tokens).toBe(texts.flatMap(encode).length);
  });

  test("begins with the prompt with echo, and ends before a stop text", async () => {
    const plain = await completed(running, { prompt, temperature: 0 });
    const echoed = await completed(running, { prompt, temperature: 0, echo: true });
    const { text } = plain.choices[0]!;
    expect(echoed.choices[0]!.text).toBe(prompt + text);
    const stop = text.slice(3, 6);
    for (const given of [stop, ["\u0000", stop]]) {
      const cut = await completed(running, { prompt, temperature: 0, stop: given });
      expect(cut.choices[0]).toMatchObject({
        text: text.slice(0, text.indexOf(stop)),
        finish_reason: "stop",
      });
    }
  });

  test("has a fingerprint that stays, and is another for another model", async () => {
    const fingerprint = async (server: Running) =>
      (await completed(server, { prompt, max_tokens: 1 })).system_fingerprint;
    const own = await fingerprint(running);
    expect(await fingerprint(running)).toBe(own);
    const same = await startOctoai();
    const other = await startOctoai({ checkpoint: "residua/other" });
    expect(await fingerprint(same)).toBe(own);
    expect(await fingerprint(other)).not.toBe(own);
    await Promise.all([same.close(), other.close()]);
  });
});

describe("best_of", () => {
  const fields = { prompt, max_tokens: 20, temperature: 1.3, seed: 11 };
  test("returns the n of the highest total log probability, and counts them all", async () => {
    const all = await completed(running, { ...fields, n: 6, logprobs: 0 });
    const total = (i: number) =>
      all.choices[i]!.logprobs!.content.reduce((sum, { logprob }) => sum + logprob, 0);
    const order = all.choices.map((_, i) => i).sort((a, b) => total(b) - total(a));
    expect(order.slice(0, 2)).not.toEqual([0, 1]);
    const best = await completed(running, { ...fields, n: 2, best_of: 6 });
    expect(best.choices.map(({ text }) => text)).toEqual(order.slice(0, 2).map((i) => all.choices[i]!.text));
    expect(best.choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(best.usage).toEqual(all.usage);
    const one = await completed(running, { ...fields, best_of: 6 });
    expect(one.choices.map(({ text }) => text)).toEqual([all.choices[order[0]!]!.text]);
  });

  test("equal to n changes nothing", async () => {
    const plain = await completed(running, { ...fields, n: 3 });
    expect((await completed(running, { ...fields, n: 3, best_of: 3 })).choices).toEqual(plain.choices);
  });
});

test("two clients' equal seeds give equal texts, other seeds others", async () => {
  const ask = async (seed: number) =>
    (await completed(running, { prompt, seed, n: 3, temperature: 1.5 })).choices;
  const [first, again, other] = await Promise.all([ask(7), ask(7), ask(700)]);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});
