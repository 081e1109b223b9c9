import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawTensor, start, tinyConfig, type Running } from "../support.ts";
import { events, post } from "./vllm-support.ts";

const context = tinyConfig.max_position_embeddings;
const prompt = "The city of Rome is";

interface Completion {
  id: string;
  choices: {
    index: number;
    text: string;
    token_ids: number[] | null;
    finish_reason: string;
    stop_reason: unknown;
    logprobs: unknown;
  }[];
  usage: Record<string, number>;
}

let running: Running;
beforeAll(async () => {
  running = await start({ profile: "vllm" });
});
afterAll(() => running.close());

const complete = (body: object, headers: Record<string, string> = {}) =>
  post<Completion>(running.server.url, "/v1/completions", { prompt, temperature: 0, ...body }, headers);
const refused = async (body: object) => {
  const { status, body: answer } = await complete(body);
  expect(status).toBe(400);
  return answer.error!;
};

describe("refused in vLLM's words", () => {
  test("what does not fit the context, with the sum", async () => {
    const { message, param } = await refused({ max_tokens: context - 3 });
    expect(param).toBe("input_tokens");
    const tokens = running.model.tokenizer.encode(prompt).length;
    expect(message).toBe(
      `This model's maximum context length is ${context} tokens. However, you requested ${context - 3} output tokens and your prompt contains at least ${tokens} input tokens, for a total of at least ${context - 3 + tokens} tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=${tokens})`,
    );
    expect((await complete({ max_tokens: context - tokens, stop: [" "] })).status).toBe(200);
    expect((await refused({ prompt: "a".repeat(1e6) })).param).toBe("input_text");
    expect((await refused({ prompt: [tinyConfig.vocab_size] })).message).toBe(
      `Token id ${tinyConfig.vocab_size} is out of vocabulary`,
    );
  });

  test.each([
    [
      { temperature: -0.5 },
      "temperature must be non-negative, got -0.5. (parameter=temperature, value=-0.5)",
    ],
    [{ presence_penalty: 3 }, "presence_penalty must be in [-2, 2], got 3.0."],
    [{ repetition_penalty: 0 }, "repetition_penalty must be greater than zero, got 0.0."],
    [{ min_tokens: -1 }, "min_tokens must be greater than or equal to 0, got -1."],
    [{ max_tokens: 0 }, "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)"],
    [{ prompt_logprobs: 21 }, /^Requested prompt logprobs of 21, which is greater than max allowed: 20/],
    [{ stop: ["a", "b", "c", "d", "e"] }, "stop: 5 strings, over the 4 that it may have"],
    [{ stream_options: { include_usage: true } }, /^Stream options can only be defined when `stream=True`/],
    [{ seed: -2 }, /^seed: /],
    [{ allowed_token_ids: [] }, "allowed_token_ids is not None and empty!"],
  ])("%j", async (body, message) => {
    expect((await refused(body)).message).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  test.each([
    ["use_beam_search", true],
    ["guided_json", {}],
    ["structured_outputs", { choice: ["a"] }],
    ["response_format", { type: "json_object" }],
    ["prompt_embeds", "AAAA"],
    ["skip_special_tokens", false],
    ["bad_words", ["x"]],
    ["truncate_prompt_tokens", 5],
    ["lora_request", {}],
  ])("%s, by name, for it is not done here", async (field, value) => {
    expect((await refused({ [field]: value })).message).toMatch(RegExp(`^${field}: `));
  });
});

test("fields that ask for nothing, unknown ones and nulls are accepted, as vLLM does", async () => {
  const nothing = {
    use_beam_search: false,
    response_format: { type: "text" },
    bad_words: [],
    suffix: null,
    user: "me",
    foo_bar: 1,
    skip_special_tokens: true,
    priority: 5,
    max_tokens: null,
    stop: null,
  };
  const { status, body } = await complete(nothing);
  expect(status).toBe(200);
  expect(body.choices).toEqual((await complete({})).body.choices);
});

test("the id is the client's: by header before body", async () => {
  expect((await complete({ request_id: "mine" })).body.id).toBe("cmpl-mine");
  expect((await complete({ request_id: "mine" }, { "x-request-id": "header-1" })).body.id).toBe(
    "cmpl-header-1",
  );
  expect((await complete({})).body.id).toMatch(/^cmpl-[0-9a-f]{16}$/);
});

test("a stop token ends a choice and is told", async () => {
  const plain = (await complete({ return_token_ids: true, max_tokens: 4 })).body.choices[0]!;
  const [, second] = plain.token_ids!;
  const { body } = await complete({ return_token_ids: true, max_tokens: 4, stop_token_ids: [second] });
  expect(body.choices[0]).toMatchObject({ finish_reason: "stop", stop_reason: second });
  expect(body.choices[0]!.token_ids).toEqual(plain.token_ids!.slice(0, 2));
});

test("a stream says what the whole answer says, several prompts and choices mixed", async () => {
  const body = {
    prompt: [prompt, "The sky"],
    n: 2,
    seed: 3,
    temperature: 1,
    max_tokens: 6,
    echo: true,
    logprobs: 2,
    stop: ["."],
  };
  const whole = (await complete(body)).body;
  const streamed = await events<Completion>(running.server.url, "/v1/completions", {
    ...body,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  });
  expect(streamed.at(-1)).toMatchObject({
    choices: [],
    usage: { total_tokens: whole.usage["total_tokens"] },
  });
  for (const [index, choice] of whole.choices.entries()) {
    const parts = streamed.flatMap(({ choices }) => choices).filter((part) => part.index === index);
    expect(parts.map(({ text }) => text).join("")).toBe(choice.text);
    expect(parts.at(-1)).toMatchObject({
      finish_reason: choice.finish_reason,
      stop_reason: choice.stop_reason,
    });
    const logprobs = parts.map((part) => part.logprobs as Record<string, unknown[]>);
    for (const name of ["text_offset", "tokens", "token_logprobs", "top_logprobs"])
      expect(logprobs.flatMap((part) => part[name])).toEqual(
        (choice.logprobs as Record<string, unknown>)[name],
      );
  }
});

test("stream_interval sends the first token at once, then so many together", async () => {
  const streamed = await events<Completion>(running.server.url, "/v1/completions", {
    prompt,
    temperature: 0,
    max_tokens: 6,
    ignore_eos: true,
    stream_interval: 2,
    return_token_ids: true,
  });
  expect(streamed.map(({ choices }) => choices[0]!.token_ids!.length)).toEqual([1, 2, 2, 1]);
});

test("a model without a chat template is told so", async () => {
  const { status, body } = await post(running.server.url, "/v1/chat/completions", {
    messages: [{ role: "user", content: "hi" }],
  });
  expect(status).toBe(400);
  expect(body.error!.message).toMatch(
    /^As of transformers v4.44, default chat template is no longer allowed/,
  );
});

test("/tokenize takes any length but an endless one; /detokenize gives the text back", async () => {
  const text = "The sky ".repeat(2000);
  const to = await post<{ count: number; tokens: number[]; max_model_len: number }>(
    running.server.url,
    "/tokenize",
    {
      prompt: text,
      add_special_tokens: false,
    },
  );
  expect(to.body.count).toBe(to.body.tokens.length);
  expect(to.body.count).toBeGreaterThan(to.body.max_model_len);
  const back = await post<{ prompt: string }>(running.server.url, "/detokenize", { tokens: to.body.tokens });
  expect(back.body.prompt).toBe(text);
  const endless = await post(running.server.url, "/tokenize", { prompt: "a".repeat(131_073) });
  expect(endless.status).toBe(400);
  expect(endless.body.error!.message).toMatch(/^prompt: 131073 characters, over the 131072/);
  const unknown = await post(running.server.url, "/detokenize", { tokens: [tinyConfig.vocab_size] });
  expect(unknown.body.error!.message).toBe(`Token id ${tinyConfig.vocab_size} is out of vocabulary`);
});

test("a fault of a stream that has begun is an event before [DONE]", async () => {
  const values = Array<number>(tinyConfig.hidden_size).fill(3e38);
  const vectors = [{ activations: rawTensor(values, [1, values.length]), layer_indices: [0], scale: 1e30 }];
  const [event, ...rest] = await events<object>(running.server.url, "/v1/completions", {
    prompt,
    vllm_xargs: { apply_steering_vectors: JSON.stringify(vectors) },
  });
  expect(rest).toEqual([]);
  expect(event).toEqual({
    error: {
      message: expect.stringMatching(/not finite/) as string,
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  });
});

test("metrics count what was run, under vLLM's names", async () => {
  const read = async () => {
    const text = await (await fetch(new URL("/metrics", running.server.url))).text();
    return (name: string) => Number(RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "m").exec(text)![1]);
  };
  const before = await read();
  const { usage } = (await complete({ max_tokens: 3, ignore_eos: true, prompt: "Metrics are counted" })).body;
  const after = await read();
  const grown = (name: string) => after(name) - before(name);
  expect(grown("vllm:generation_tokens_total")).toBe(usage["completion_tokens"]);
  expect(grown("vllm:prompt_tokens_total")).toBe(usage["prompt_tokens"]);
  expect(grown("vllm:time_to_first_token_seconds_count")).toBe(1);
  expect(after("vllm:num_requests_running")).toBe(0);
});
