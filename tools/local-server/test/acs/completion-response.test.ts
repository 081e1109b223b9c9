import { describe, expect, test } from "vitest";
import { tinyConfig, serve } from "../support.ts";

const running = serve();

const prompt = "The city of Rome is in Europe. Verdict:";
const encode = (text: string) => running.model.tokenizer.encode(text);

test("a completion has the documented parts and says what the engine says", async () => {
  const { status, headers, body } = await running.complete({ prompt, max_tokens: 5, temperature: 0 });
  const tokens = encode(prompt);
  const [own] = await running.model.generate([{ prompt: tokens, maxTokens: 5, temperature: 0 }]);
  const choice = own!.choices[0]!;
  expect(status).toBe(200);
  expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{20}$/);
  expect(body).toEqual({
    id: expect.stringMatching(/^cmpl-[0-9a-f]{16}$/) as string,
    object: "text_completion",
    created: expect.closeTo(Date.now() / 1000, -2) as number,
    model: "residua/tiny",
    choices: [
      { index: 0, text: choice.text, logprobs: null, finish_reason: choice.finishReason, stop_reason: null },
    ],
    usage: {
      prompt_tokens: tokens.length,
      completion_tokens: choice.tokens.length,
      total_tokens: tokens.length + choice.tokens.length,
    },
  });
});

test("without max_tokens 16 are generated; null counts as left out", async () => {
  const nothing = { max_tokens: null, top_p: null, stop: null, n: null, logprobs: null, user: null };
  const { body } = await running.complete({
    prompt: "The baker",
    temperature: 20,
    ...nothing,
    seed: 3,
  });
  expect(body.usage.completion_tokens).toBe(16);
  expect(body.choices[0]!.finish_reason).toBe("length");
});

test("add_special_tokens false leaves BOS out; token ids are taken as they are", async () => {
  const asText = await running.complete({ prompt, max_tokens: 1, add_special_tokens: false });
  expect(asText.body.usage.prompt_tokens).toBe(encode(prompt).length - 1);
  const asIds = await running.complete({ prompt: encode(prompt), max_tokens: 4, temperature: 0 });
  const text = await running.complete({ prompt, max_tokens: 4, temperature: 0 });
  expect(asIds.body.choices).toEqual(text.body.choices);
});

describe("several prompts and choices", () => {
  test("choice i of prompt p has index p × n + i, and each is what it is alone", async () => {
    const prompts = ["The city of", "Calling something gripping is", "Rating:"];
    const common = { max_tokens: 6, temperature: 1.3, seed: 40 };
    const { body } = await running.complete({ prompt: prompts, n: 2, ...common });
    expect(body.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    let generated = 0;
    for (const [p, text] of prompts.entries()) {
      for (const i of [0, 1]) {
        const alone = await running.complete({ prompt: text, ...common, seed: 40 + i });
        expect(body.choices[2 * p + i]).toEqual({ ...alone.body.choices[0], index: 2 * p + i });
        generated += alone.body.usage.completion_tokens;
      }
    }
    expect(body.usage.prompt_tokens).toBe(prompts.reduce((sum, text) => sum + encode(text).length, 0));
    expect(body.usage.completion_tokens).toBe(generated);
  });

  test("equal seeds repeat, no seed varies", async () => {
    const ask = async (seed?: number) =>
      (await running.complete({ prompt: "The", max_tokens: 12, temperature: 3, seed })).body.choices[0]!.text;
    expect(await ask(5)).toBe(await ask(5));
    expect(new Set([await ask(), await ask(), await ask(), await ask(6)]).size).toBeGreaterThan(1);
  });
});

describe("echo and log probabilities", () => {
  test("echo puts the prompt before the text, special tokens of an id prompt included", async () => {
    const plain = await running.complete({ prompt, max_tokens: 3, temperature: 0 });
    const echoed = await running.complete({ prompt, max_tokens: 3, temperature: 0, echo: true });
    expect(echoed.body.choices[0]!.text).toBe(prompt + plain.body.choices[0]!.text);
    const ids = await running.complete({ prompt: encode(prompt), max_tokens: 3, temperature: 0, echo: true });
    expect(ids.body.choices[0]!.text).toBe(`<s>${prompt}${plain.body.choices[0]!.text}`);
  });

  test("logprobs: one entry a token, the token itself always among the top, offsets in code points", async () => {
    const { body } = await running.complete({
      prompt: "Größe 🌍",
      max_tokens: 4,
      temperature: 5,
      seed: 2,
      logprobs: 3,
      echo: true,
    });
    const { tokens, text_offset, token_logprobs, top_logprobs } = body.choices[0]!.logprobs!;
    const count = body.usage.total_tokens;
    expect([tokens, text_offset, token_logprobs, top_logprobs].map(({ length }) => length)).toEqual([
      count,
      count,
      count,
      count,
    ]);
    expect([token_logprobs[0], top_logprobs[0]]).toEqual([null, null]);
    let offset = 0;
    tokens.forEach((text, i) => {
      expect(text_offset[i]).toBe(offset);
      offset += [...text].length;
      if (i === 0) return;
      const top = top_logprobs[i]!;
      expect(Object.keys(top).length).toBeLessThanOrEqual(4);
      // Texts of several ids may be equal ("\uFFFD"): the likeliest of them is shown.
      expect(top[text]!).toBeGreaterThanOrEqual(token_logprobs[i]!);
      if (text !== "\uFFFD") expect(top[text]).toBe(token_logprobs[i]);
    });
  });

  test("logprobs 0 gives the token's own, and only that", async () => {
    const { body } = await running.complete({ prompt, max_tokens: 1, temperature: 0, logprobs: 0 });
    const { tokens, token_logprobs, top_logprobs } = body.choices[0]!.logprobs!;
    expect(top_logprobs).toEqual([{ [tokens[0]!]: token_logprobs[0] }]);
  });

  test("text offsets count the characters of a text whose characters are several tokens", async () => {
    const prompt = "日本語";
    const body = { prompt, max_tokens: 1, temperature: 0, echo: true, logprobs: 0, prompt_logprobs: 0 };
    const { text, logprobs, prompt_logprobs: entries } = (await running.complete(body)).body.choices[0]!;
    const { tokens, text_offset: offsets } = logprobs!;
    expect(tokens.length).toBeGreaterThan(4);
    expect(text.startsWith(prompt)).toBe(true);
    expect(tokens.join("").endsWith(text)).toBe(true);
    const lengths = tokens.map((token) => [...token].length);
    expect(offsets).toEqual(lengths.map((_, i) => lengths.slice(0, i).reduce((sum, one) => sum + one, 0)));
    const decoded = entries!.slice(1).map((entry) => Object.values(entry!)[0]!.decoded_token);
    expect(decoded.join("")).toBe(prompt);
  });

  test("prompt_logprobs: null first, the prompt's token always in, 0 gives nothing else", async () => {
    const ids = encode(prompt);
    for (const k of [0, 2, -1]) {
      const { body } = await running.complete({ prompt, max_tokens: 1, prompt_logprobs: k });
      const entries = body.choices[0]!.prompt_logprobs!;
      expect(entries.length).toBe(ids.length);
      expect(entries[0]).toBeNull();
      entries.slice(1).forEach((entry, i) => {
        const own = entry![String(ids[i + 1])]!;
        expect(own.decoded_token).toBe(running.model.tokenizer.decode([ids[i + 1]!]));
        const size = k === -1 ? tinyConfig.vocab_size : k + (own.rank > k ? 1 : 0);
        expect(Object.keys(entry!).length).toBe(size);
        const better = Object.values(entry!).filter(({ logprob }) => logprob > own.logprob).length;
        expect(better).toBe(Math.min(own.rank - 1, k === -1 ? tinyConfig.vocab_size : k));
      });
    }
    expect((await running.complete({ prompt, max_tokens: 1 })).body.choices[0]).not.toHaveProperty(
      "prompt_logprobs",
    );
  });
});

test("stop: the text ends before it, and stop_reason names it", async () => {
  const free = (await running.complete({ prompt: "The city", max_tokens: 12, temperature: 0 })).body
    .choices[0]!;
  const stop = free.text.slice(4, 7);
  const cut = (
    await running.complete({ prompt: "The city", max_tokens: 12, temperature: 0, stop: ["zzz", stop] })
  ).body;
  expect(cut.choices[0]).toMatchObject({
    text: free.text.slice(0, free.text.indexOf(stop)),
    finish_reason: "stop",
    stop_reason: stop,
  });
});
