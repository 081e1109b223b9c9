import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { APIError, createClient, InvalidRequestError, serverTokenizer } from "../../src/index.ts";

// What the client claims of vLLM with vllm-lens, tried on a real server of SmolLM2-135M-Instruct:
// RESIDUA_ORACLE=http://127.0.0.1:PORT npx vitest run --root packages/client test/real-server

const origin = process.env["RESIDUA_ORACLE"]!;
const client = createClient({ baseURL: `${origin}/v1`, apiKey: "", profile: "vllm" });
afterAll(() => client.close());

const prompt = "The capital of France is";
const ids = [504, 3575, 282, 4649, 314];
const greedy = { model: "smollm2", prompt, temperature: 0 } as const;

/** How many requests the server is running. */
async function running(): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^vllm:num_requests_running\{.*\} (.*)$/m.exec(text)?.[1]);
}

describe("completions", () => {
  it("one", async () => {
    const { data, response } = await client.completions.create({ ...greedy, max_tokens: 4 }).withResponse();
    expect(response.status).toBe(200);
    expect(data.choices[0]).toMatchObject({ text: " Paris.\n\n", finish_reason: "length" });
    expect(data.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 });
    expect(data.system_fingerprint).toMatch(/^vllm-/);
  });

  it("n of several prompts, in the order p × n + i; each with a seed is one with that seed", async () => {
    const several = { model: "smollm2", prompt: [prompt, "Once upon a time"], n: 2, max_tokens: 6, seed: 7 };
    const completion = await client.completions.create(several);
    expect(completion.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(completion.choicesOf(1)).toHaveLength(2);
    expect(completion.usage?.completion_tokens).toBe(24);
    // One batch or three: a near-tie may fall the other way, and most do not.
    const three = await client.completions.create({ ...several, prompt, n: 3 });
    let same = 0;
    for (const [i, { text }] of three.choices.entries()) {
      const alone = await client.completions.create({ ...several, prompt, n: 1, seed: 7 + i });
      if (alone.choices[0]?.text === text) same += 1;
    }
    expect(same).toBeGreaterThanOrEqual(2);
  });

  it("echo, logprobs and prompt_logprobs", async () => {
    const { choices } = await client.completions.create({
      ...greedy,
      max_tokens: 1,
      echo: true,
      logprobs: 2,
    });
    const [choice] = choices;
    expect(choice?.text).toBe(`${prompt} Paris`);
    expect(choice?.logprobs?.tokens).toEqual(["The", " capital", " of", " France", " is", " Paris"]);
    expect(choice?.logprobs?.text_offset).toEqual([0, 3, 11, 14, 21, 24]);
    const plain = await client.completions.create({ ...greedy, max_tokens: 1, prompt_logprobs: 0 });
    const rows = plain.choices[0]?.prompt_logprobs ?? [];
    expect(rows.map((row) => row && Object.keys(row).map(Number))).toEqual([
      null,
      ...ids.slice(1).map((id) => [id]),
    ]);
  });

  it("token ids as a prompt are the text", async () => {
    const texts = [prompt, ids].map(async (given) => {
      const { choices } = await client.completions.create({ ...greedy, prompt: given, max_tokens: 4 });
      return choices[0]?.text;
    });
    expect(await Promise.all(texts)).toEqual([" Paris.\n\n", " Paris.\n\n"]);
  });
});

describe("captures", () => {
  it("are handed on as the wire has them; what would be silently wrong is refused", async () => {
    const capture = { ...greedy, max_tokens: 4, vllm_xargs: { output_residual_stream: "[2,20]" } };
    const { activations } = await client.completions.create(capture);
    expect(activations).toMatchObject({ residual_stream: { shape: [2, 8, 576], dtype: "int16" } });
    for (const wrong of ["false", "[-1]", "[3,3]", "3"]) {
      const silent = { ...capture, vllm_xargs: { output_residual_stream: wrong } };
      await expect(client.completions.create(silent)).rejects.toBeInstanceOf(InvalidRequestError);
    }
  });
});

describe("streams", () => {
  it("give what the whole answer holds, and usage when asked", async () => {
    const request = { ...greedy, prompt: [prompt, "Repeat: 👋🏽 👋🏽 👋🏽"], max_tokens: 12, logprobs: 1 };
    const whole = await client.completions.create(request);
    const texts = ["", ""];
    let usage: object | null | undefined;
    const stream = await client.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
      for (const { index, text } of chunk.choices) texts[index] += text;
      usage = chunk.usage ?? usage;
    }
    expect(texts).toEqual(whole.choices.map(({ text }) => text));
    expect([stream.textOf(0), stream.textOf(1)]).toEqual(texts);
    expect(usage).toMatchObject({ prompt_tokens: whole.usage?.prompt_tokens, completion_tokens: 24 });
  });

  it("stop at the server when the loop is left", async () => {
    let seen = 0;
    const long = { ...greedy, max_tokens: 900, ignore_eos: true, stream: true } as const;
    for await (const _ of await client.completions.create(long)) if (++seen === 3) break;
    expect(seen).toBe(3);
    await expect.poll(running, { timeout: 3000 }).toBe(0);
  });

  it("stop at the server when the signal ends them", async () => {
    const controller = new AbortController();
    const long = { ...greedy, max_tokens: 900, ignore_eos: true, stream: true } as const;
    const stream = await client.completions.create(long, {
      signal: controller.signal,
    });
    void setTimeout(200).then(() => controller.abort());
    await expect(async () => {
      for await (const _ of stream);
    }).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(running, { timeout: 3000 }).toBe(0);
  });
});

describe("the server's own routes", () => {
  it("tokens, texts, version, health, models", async () => {
    expect(await client.tokenize({ prompt, return_token_strs: true })).toMatchObject({
      count: 5,
      tokens: ids,
      token_strs: ["The", "Ġcapital", "Ġof", "ĠFrance", "Ġis"],
      max_model_len: 1024,
    });
    const messages = [{ role: "user", content: "Hello" }];
    expect((await client.tokenize({ messages })).count).toBeGreaterThan(20);
    expect(await client.detokenize({ tokens: ids })).toEqual({ prompt });
    expect(await client.version()).toEqual({ version: "0.30.0" });
    expect(await client.health()).toMatchObject({ status: "ok" });
    expect(await client.describe()).toMatchObject({
      id: "smollm2",
      contextLength: { value: 1024, source: "catalogue" },
    });
  });

  it("counts with the server's tokenizer refuse what the context does not hold", async () => {
    const tokenizer = serverTokenizer(client);
    const counting = createClient({ baseURL: `${origin}/v1`, apiKey: "", profile: "vllm", tokenizer });
    const long = { ...greedy, prompt: " word".repeat(1500), max_tokens: 1 };
    const error = await counting.completions.create(long).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toContain("1500 prompt tokens");
    expect((await counting.completions.create({ ...greedy, max_tokens: 1 })).choices).toHaveLength(1);
    await counting.close();
  });
});

describe("many", () => {
  it("200 requests, 16 at a time: none fails, each gives its own answer", { timeout: 120_000 }, async () => {
    const requests = Array.from({ length: 200 }, (_, i) => ({
      model: "smollm2",
      prompt: `Number ${i} is`,
      max_tokens: 2,
      temperature: 0,
    }));
    let most = 0;
    const seen = new Map<number, string>();
    const watch = setInterval(() => void running().then((now) => (most = Math.max(most, now))), 100);
    for await (const { index, completion, error } of client.completions.sampleMany(requests)) {
      expect(error).toBeUndefined();
      seen.set(index, completion?.choices[0]?.text ?? "");
    }
    clearInterval(watch);
    expect(seen.size).toBe(200);
    expect(most).toBeGreaterThan(8);
    expect(most).toBeLessThanOrEqual(16);
    const again = await client.completions.create(requests[7]!);
    expect(again.choices[0]?.text).toBe(seen.get(7));
  });

  it("a repeat says how far apart the same request's answers are", async () => {
    const report = await client.completions.repeat({ ...greedy, max_tokens: 4, logprobs: 1 }, { times: 3 });
    expect(report.completions).toHaveLength(3);
    expect(report.agree).toBe(true);
    // bfloat16: the same prompt in another batch moves a little, if at all.
    expect(report.noise).toBeLessThan(0.05);
    expect(report.fingerprints).toHaveLength(1);
  });
});

describe("errors and connections", () => {
  it("an unknown model, before a stream too", async () => {
    for (const stream of [false, true]) {
      const error = await client.completions
        .create({ ...greedy, model: "nope", stream })
        .catch((e: unknown) => e);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ status: 404, param: "model", retryable: false });
    }
  });

  it("a prompt that is too long", async () => {
    const long = { ...greedy, prompt: " word".repeat(1500), max_tokens: 1 };
    await expect(client.completions.create(long)).rejects.toMatchObject({
      status: 400,
      param: "input_tokens",
    });
  });

  it("a 500, whose connection closes unannounced, costs the next requests nothing", async () => {
    const zeros = Buffer.alloc(576 * 4).toString("base64");
    const beyond = [{ activations: { data: zeros, dtype: "float32", shape: [1, 576] }, layer_indices: [30] }];
    const steered = {
      ...greedy,
      max_tokens: 1,
      vllm_xargs: { apply_steering_vectors: JSON.stringify(beyond) },
    };
    for (let i = 0; i < 10; i++) {
      await expect(client.completions.create(steered)).rejects.toMatchObject({ status: 500, attempts: 1 });
      expect((await client.completions.create({ ...greedy, max_tokens: 1 })).choices[0]?.text).toBe(" Paris");
    }
  });

  it("a token id that the vocabulary does not have is refused, nothing sent", async () => {
    const outside = { ...greedy, prompt: [49152], max_tokens: 1 };
    await expect(client.completions.create(outside)).rejects.toBeInstanceOf(InvalidRequestError);
    expect((await client.models.list()).map(({ id }) => id)).toEqual(["smollm2"]);
  });

  it(
    "the connection that the server closed while it was idle costs no request",
    { timeout: 30_000 },
    async () => {
      for (const idle of [4900, 4990, 5000, 5010, 5100]) {
        await setTimeout(idle);
        expect((await client.completions.create({ ...greedy, max_tokens: 1 })).choices).toHaveLength(1);
      }
    },
  );
});
