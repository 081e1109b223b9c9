import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Client,
  type Completion,
  createClient,
  readLogprobs,
  readPromptLogprobs,
} from "../../src/index.ts";
import { type FaultServer, faultServer } from "../fault-server.ts";
import { type Exchange, exchangeOf, exchanges, isStream, replay, sameShape, shapeOf } from "./exchanges.ts";

let server: FaultServer;
let client: Client;
let current: Exchange;
beforeAll(async () => {
  server = await faultServer((_, response) => replay(response, current));
  client = createClient({ baseURL: server.url, apiKey: "" });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

async function read(exchange: Exchange): Promise<Completion> {
  current = exchange;
  return client.completions.create(sameShape(exchange));
}

const whole = exchanges.filter(
  (one) => one.path === "/v1/completions" && one.status === 200 && !isStream(one),
);

it("are most of what was recorded", () => {
  expect(whole.length).toBeGreaterThan(160);
});

it.each(whole)("$name is read as it came", async (exchange) => {
  const sent = JSON.parse(exchange.answer!) as Completion;
  const completion = await read(exchange);
  // Every field, also those that no table names: log probabilities, token ids, usage, tensors.
  expect(completion).toEqual(sent);
  const { prompts, n } = shapeOf(exchange);
  expect(completion.choices).toHaveLength(prompts * n);
  const byPrompt = Array.from({ length: prompts }, (_, p) => completion.choicesOf(p));
  expect(byPrompt.flat()).toEqual(sent.choices);
  for (const choices of byPrompt) expect(choices).toHaveLength(n);
});

const scored = whole.filter(({ answer }) => answer!.includes('"token_logprobs"'));

it.each(scored)("$name: its log probabilities are read with their places", async (exchange) => {
  for (const choice of (await read(exchange)).choices) {
    const {
      tokens,
      token_logprobs: logprobs,
      text_offset: offsets,
    } = choice.logprobs as unknown as {
      tokens: string[];
      token_logprobs: (number | null)[];
      text_offset: number[];
    };
    const reading = readLogprobs(choice)!;
    expect(reading.map(({ token }) => token)).toEqual(tokens);
    expect(reading.map(({ logprob }) => logprob ?? null)).toEqual(logprobs);
    for (const [i, { offset, token }] of reading.entries()) {
      // The server counts the names of tokens, which are not their texts within a character or as an id.
      if (!/^[\x20-\x7e\n]*$/.test(choice.text) || token.startsWith("token_id:")) continue;
      expect(offset?.codePoints).toBe(offsets[i]! - offsets[0]!);
    }
  }
});

it.each(whole.filter(({ answer }) => answer!.includes('"prompt_logprobs":[')))(
  "$name: those of its prompt name the prompt's tokens",
  async (exchange) => {
    for (const choice of (await read(exchange)).choices) {
      const reading = readPromptLogprobs(choice)!;
      const sent = choice.prompt_logprobs!;
      expect(reading).toHaveLength(sent.length);
      if (choice.prompt_token_ids) expect(reading.map(({ id }) => id)).toEqual(choice.prompt_token_ids);
      for (const { position, id, logprob } of reading.slice(1)) {
        expect(sent[position]).toHaveProperty(String(id), expect.objectContaining({ logprob }));
      }
    }
  },
);

describe("by hand", () => {
  it("two prompts × two choices", async () => {
    const completion = await read(exchangeOf("main/comp_two_prompts_n2"));
    expect(completion.choicesOf(1).map(({ index }) => index)).toEqual([2, 3]);
    expect(completion.usage).toMatchObject({ prompt_tokens: 17, completion_tokens: 16 });
  });

  it("echo with log probabilities", async () => {
    const [choice] = (await read(exchangeOf("main/comp_echo_max1_logprobs1"))).choices;
    expect(choice).toMatchObject({ text: "The capital of France is Paris", finish_reason: "length" });
    expect(choice?.logprobs?.tokens).toEqual(["The", " capital", " of", " France", " is", " Paris"]);
    expect(choice?.logprobs).toMatchObject({
      token_logprobs: [null, ...Array<unknown>(5).fill(expect.any(Number))],
    });
  });

  it("a stop text inside a token: the ids hold what the text does not", async () => {
    const [choice] = (await read(exchangeOf("main/cap_stop_string_mid"))).choices;
    expect(choice).toMatchObject({
      text: " P",
      finish_reason: "stop",
      stop_reason: "aris",
      token_ids: [7042],
    });
  });

  it("tensors are handed on", async () => {
    const { activations } = await read(exchangeOf("main/cap_20_2"));
    expect(activations).toMatchObject({
      residual_stream: { shape: [2, 8, 576], dtype: "int16", compression: "zstd" },
    });
  });
});
