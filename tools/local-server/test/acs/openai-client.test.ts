import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashApiKey } from "../../src/index.ts";
import { floatsOf, rawTensor, start, type Running, type Tensor } from "../support.ts";

const key = "key-of-ann-6f1c90aa";
const poor = "key-of-ben-77d01b42";
const reader = "key-of-cat-0b9e5d13";
const prompt = "The city of Rome is";

let running: Running;
let client: OpenAI;
const connect = (apiKey: string) => new OpenAI({ baseURL: running.server.url, apiKey, maxRetries: 0 });
beforeAll(async () => {
  const apiKeys = [
    hashApiKey(key, { id: "ann" }),
    hashApiKey(poor, { id: "ben", budget: 10 }),
    hashApiKey(reader, { id: "cat", scopes: ["models"] }),
  ];
  running = await start({ apiKeys });
  client = connect(key);
});
afterAll(async () => {
  await running.close();
  expect(running.logged).toEqual([]);
});

/** What a request without the SDK gets. */
async function whole(body: object) {
  return (await running.complete(body, { authorization: `Bearer ${key}` })).body;
}

describe("completions", () => {
  test("are those of the wire", async () => {
    const body = { prompt, max_tokens: 6, temperature: 0, logprobs: 2, echo: true };
    const completion = await client.completions.create({ model: "tiny", ...body });
    const { choices, usage, model, object } = await whole(body);
    expect(completion).toMatchObject({ choices, usage, model, object });
    expect(completion._request_id).toMatch(/^req_/);
  });

  test("of several prompts, as texts and as token ids, have the index p × n + i", async () => {
    const texts = [prompt, "A"];
    const sampling = { n: 2, max_tokens: 3, seed: 3 };
    for (const given of [texts, texts.map((text) => running.model.tokenizer.encode(text))]) {
      const completion = await client.completions.create({ model: "tiny", prompt: given, ...sampling });
      const { choices, usage } = await whole({ prompt: given, ...sampling });
      expect(completion.choices).toEqual(choices);
      expect(completion.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
      expect(completion.usage).toEqual(usage);
    }
  });

  test("take the fields that the SDK has no argument for at the top level, and not in extra_body", async () => {
    const fields = { top_k: 1, min_p: 0.05, repetition_penalty: 1.1, prompt_logprobs: 1 };
    const base = { model: "tiny", prompt, max_tokens: 4, seed: 1 };
    const completion = await client.completions.create({ ...base, ...fields });
    expect(completion.choices).toEqual((await whole({ ...base, ...fields })).choices);
    const nested = client.completions.create({ ...base, extra_body: fields } as never);
    await expect(nested).rejects.toThrow("extra_body: unknown field");
  });

  test("carry a capture under steering", async () => {
    const { hiddenSize } = running.model.config;
    const capture = { prompt, max_tokens: 1, output_residual_stream: [2] };
    const ask = async (scale: number) => {
      const vector = {
        activations: rawTensor(Array<number>(hiddenSize).fill(1), [1, hiddenSize]),
        layer_indices: [2],
        scale,
      };
      const completion = await client.completions.create({
        model: "tiny",
        ...capture,
        apply_steering_vectors: [vector],
      } as OpenAI.CompletionCreateParamsNonStreaming);
      const { activations } = completion as unknown as { activations: { residual_stream: Tensor } };
      return floatsOf(activations.residual_stream);
    };
    const [plain, steered] = [await ask(0), await ask(50)];
    expect(plain.length).toBe(running.model.tokenizer.encode(prompt).length * hiddenSize);
    steered.forEach((value, i) => expect(Math.abs(value - plain[i]! - 50)).toBeLessThan(0.5));
  });
});

describe("streams", () => {
  const body = { model: "tiny", prompt: [prompt, "A"], n: 2, max_tokens: 6, seed: 5, logprobs: 1 };

  test("have the texts and log probabilities of the whole, by index, and no counts", async () => {
    const stream = await client.completions.create({ ...body, stream: true });
    const texts = ["", "", "", ""];
    const tokens: string[][] = [[], [], [], []];
    const reasons: string[] = [];
    for await (const chunk of stream) {
      expect(chunk).not.toHaveProperty("usage");
      const [choice] = chunk.choices;
      texts[choice!.index] += choice!.text;
      tokens[choice!.index]!.push(...choice!.logprobs!.tokens!);
      // The SDK's types know no null here; the wire has it until a choice's last chunk.
      if ((choice!.finish_reason as string | null) !== null) reasons[choice!.index] = choice!.finish_reason;
    }
    const { choices } = await whole(body);
    expect(texts).toEqual(choices.map(({ text }) => text));
    expect(tokens).toEqual(choices.map(({ logprobs }) => logprobs!.tokens));
    expect(reasons).toEqual(choices.map(({ finish_reason }) => finish_reason));
  });

  test("with include_usage end with the counts and no choice", async () => {
    const stream = await client.completions.create({
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.Completion[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const last = chunks.pop()!;
    expect(last.choices).toEqual([]);
    expect(last.usage).toEqual((await whole(body)).usage);
    for (const { choices } of chunks) expect(choices.length).toBe(1);
  });

  test("that are left stop their generation", async () => {
    // What came once comes for ever: no choice ends early.
    const sampling = { n: 31, max_tokens: 1000, repetition_penalty: 0.01 };
    const long = { model: "tiny", prompt, ...sampling, stream: true } as const;
    const leave = [
      async (stream: AsyncIterable<unknown>) => {
        for await (const chunk of stream) if (chunk) break;
      },
      async (stream: AsyncIterable<unknown> & { controller: AbortController }) => {
        for await (const chunk of stream) if (chunk) stream.controller.abort();
      },
    ];
    for (const left of leave) {
      const before = running.model.stats().generatedTokens;
      await left(await client.completions.create(long));
      while (running.model.stats().active > 0) await sleep(5);
      expect(running.model.stats().generatedTokens - before).toBeLessThan(31 * 200);
    }
  });

  test("that fail after their start throw APIError with the server's message", async () => {
    const { hiddenSize } = running.model.config;
    const tokens = running.model.tokenizer.encode(prompt);
    const vector = {
      activations: rawTensor(Array<number>(hiddenSize).fill(1e38), [1, 1, hiddenSize]),
      layer_indices: [0],
      scale: 1e30,
      position_indices: [tokens.length + 2],
    };
    const stream = await client.completions.create({
      model: "tiny",
      prompt: tokens,
      max_tokens: 20,
      // Greedily it writes more than the two tokens that come before the broken position.
      temperature: 0,
      stream: true,
      apply_steering_vectors: [vector],
    } as OpenAI.CompletionCreateParamsStreaming);
    const texts: string[] = [];
    const reading = (async () => {
      for await (const { choices } of stream) texts.push(choices[0]!.text);
    })();
    await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError);
    await expect(reading).rejects.toThrow("not finite");
    expect(texts.length).toBeGreaterThan(0);
  });
});

test("models.list has the model with its capabilities", async () => {
  const models: OpenAI.Model[] = [];
  for await (const model of client.models.list()) models.push(model);
  expect(models).toEqual([
    expect.objectContaining({ id: "tiny", object: "model", owned_by: "residua" }) as OpenAI.Model,
  ]);
  expect(models[0]).toMatchObject({ capabilities: { n_layers: running.model.config.layers } });
});

describe("errors have the SDK's classes, the code and the request id", () => {
  const create = (client: OpenAI, extra: object = {}) =>
    client.completions.create({ model: "tiny", prompt, max_tokens: 1, ...extra });
  const failure = (status: number, code: string, type = "invalid_request_error") => ({
    status,
    code,
    type,
    requestID: expect.stringMatching(/^req_/) as string,
  });

  test("400, 401, 403 and 404", async () => {
    const bad = create(client, { top_p: 0 });
    await expect(bad).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(bad).rejects.toMatchObject(failure(400, "invalid_request"));
    await expect(bad).rejects.toThrow("top_p: ");
    await expect(create(client, { model: "nope" })).rejects.toMatchObject(failure(400, "model_not_found"));
    const status = client.get("/models/nope/status");
    await expect(status).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(status).rejects.toMatchObject(failure(404, "model_not_found"));
    const stranger = create(connect("nobody"));
    await expect(stranger).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(stranger).rejects.toMatchObject(failure(401, "invalid_api_key"));
    const denied = create(connect(reader));
    await expect(denied).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    await expect(denied).rejects.toMatchObject(failure(403, "scope_denied"));
    // A stream that cannot start fails at once, not while it is read.
    await expect(create(client, { stream: true, prompt_logprobs: 0 })).rejects.toMatchObject(
      failure(400, "invalid_request"),
    );
  });

  test("429: a budget that is used up", async () => {
    const refused = create(connect(poor), { max_tokens: 11 });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(refused).rejects.toMatchObject(failure(429, "budget_exceeded", "rate_limit_error"));
  });
});
