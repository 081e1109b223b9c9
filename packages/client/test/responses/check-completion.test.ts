import { describe, expect, it } from "vitest";
import { checkCompletion } from "../../src/responses/check-completion.ts";
import { faultText } from "../../src/responses/check-shape.ts";
import type { CompletionBody } from "../../src/responses/completion.ts";
import { parseCompletion } from "../../src/responses/parse-completion.ts";
import { APIError } from "../../src/index.ts";
import { exchanges, isStream } from "../recordings/exchanges.ts";

const body = (choice: object = {}, rest: object = {}) => ({
  id: "cmpl-1",
  model: "m",
  choices: [{ index: 0, text: " blue", ...choice }],
  ...rest,
});

function parsed(given: unknown): CompletionBody {
  const answer = {
    status: 200,
    headers: {},
    requestID: undefined,
    attempts: 1,
    body: structuredClone(given),
    unexpected: (code: string, message: string) =>
      new APIError({
        status: 200,
        code,
        message,
        type: undefined,
        param: undefined,
        requestID: undefined,
        retryable: false,
        retryAfter: undefined,
        body: "",
        attempts: 1,
      }),
  };
  return parseCompletion(answer, { prompts: 1, n: 1 });
}

describe("takes", () => {
  const nulls = {
    logprobs: null,
    finish_reason: null,
    stop_reason: null,
    prompt_logprobs: null,
    token_ids: null,
    prompt_token_ids: null,
    routed_experts: null,
  };
  it.each<[string, object]>([
    ["only what must be there", body()],
    [
      "nulls",
      body(nulls, { object: null, created: null, usage: null, system_fingerprint: null, activations: null }),
    ],
    [
      "keys that no table names, and finish reasons that nobody knows",
      body(
        { finish_reason: "abort", stop_reason: 128001, new_one: { x: [1] } },
        {
          kv_transfer_params: { a: 1 },
          ec_transfer_params: null,
          metrics: null,
          service_tier: "x",
          hook_results: { "1": 2 },
          activations: { residual_stream: { handle: "h", url: "/v1/activations/h" } },
        },
      ),
    ],
    [
      "log probabilities without top ones and offsets",
      body({ logprobs: { tokens: ["a"], token_logprobs: [null] } }),
    ],
    [
      "chat-shaped log probabilities, without content too",
      body({
        logprobs: {
          content: [null, { token: "a", logprob: -1, top_logprobs: [{ token: "b", logprob: -2 }] }],
        },
      }),
    ],
    ["no content", body({ logprobs: { content: null } })],
    [
      "prompt log probabilities without rank and text",
      body({
        prompt_logprobs: [
          null,
          { "5": { logprob: -1 } },
          { "6": { logprob: -9999, rank: null, decoded_token: null } },
        ],
      }),
    ],
    [
      "usage with details",
      body(
        {},
        {
          usage: {
            prompt_tokens: 4,
            completion_tokens: 2,
            total_tokens: 6,
            prompt_tokens_details: { cached_tokens: null },
            completion_tokens_details: null,
          },
        },
      ),
    ],
    [
      "a token named __proto__",
      JSON.parse(
        '{"id":"1","model":"m","choices":[{"index":0,"text":"","logprobs":{"tokens":["__proto__"],"token_logprobs":[-1],"top_logprobs":[{"__proto__":-1}]}}]}',
      ) as object,
    ],
  ])("%s, and hands it on as it came", (_, given) => {
    expect(parsed(given)).toEqual(given);
  });

  it.each([
    [{ prompt_tokens: 4, total_tokens: 6 }, 4, 2, 6],
    [{ prompt_tokens: 4, completion_tokens: null, total_tokens: 6 }, 4, 2, 6],
    [{ prompt_tokens: 4, completion_tokens: 2, total_tokens: null }, 4, 2, 6],
    [{ completion_tokens: 2, total_tokens: 6 }, 4, 2, 6],
  ])("a count that the other two tell: %j", (usage, prompt_tokens, completion_tokens, total_tokens) => {
    expect(parsed(body({}, { usage })).usage).toEqual({ prompt_tokens, completion_tokens, total_tokens });
  });
});

describe("says where an answer is no completion", () => {
  const four = (last: object) => ({
    ...body(),
    choices: [...Array<object>(3).fill(body().choices[0]!), last],
  });
  it.each<[string, unknown]>([
    ["an object expected, a text came", "hello"],
    ["an object expected, a list came", []],
    ["id: a text expected, nothing came", { model: "m", choices: [] }],
    ["choices: a list of choices expected, nothing came", { id: "x", model: "m" }],
    ["choices[0]: a choice expected, null came", { id: "x", model: "m", choices: [null] }],
    ["choices[0].text: a text expected, nothing came", body({ text: undefined })],
    ["choices[0].index: a whole number from 0 expected, the number -1 came", body({ index: -1 })],
    ["choices[0].index: a whole number from 0 expected, a fraction came", body({ index: 0.5 })],
    ["choices[0].stop_reason: a text or a number expected, true or false came", body({ stop_reason: true })],
    [
      "choices[3].logprobs.tokens: a list of texts expected, an object came",
      four({ index: 3, text: "", logprobs: { tokens: {}, token_logprobs: [] } }),
    ],
    [
      "choices[0].logprobs.token_logprobs[1]: a number expected, a text came",
      body({ logprobs: { tokens: ["a", "b"], token_logprobs: [-1, "-2"] } }),
    ],
    [
      'choices[0].logprobs.top_logprobs[0]["a.b"]: a number expected, null came',
      body({ logprobs: { tokens: ["a"], token_logprobs: [-1], top_logprobs: [{ a: -1, "a.b": null }] } }),
    ],
    [
      "choices[0].logprobs.content[1].top_logprobs[0].logprob: a number expected, nothing came",
      body({ logprobs: { content: [null, { token: "a", logprob: -1, top_logprobs: [{ token: "b" }] }] } }),
    ],
    [
      'choices[0].prompt_logprobs[1]["17"].logprob: a number expected, null came',
      body({ prompt_logprobs: [null, { "16": { logprob: -1 }, "17": { logprob: null } }] }),
    ],
    [
      "usage.completion_tokens: a whole number from 0 expected, a text came",
      body({}, { usage: { prompt_tokens: 1, completion_tokens: "2", total_tokens: 3 } }),
    ],
    [
      "usage.prompt_tokens: a whole number from 0 expected, nothing came",
      body({}, { usage: { total_tokens: 3 } }),
    ],
    ["activations: an object expected, a text came", body({}, { activations: "x" })],
  ])("%s", (message, given) => {
    const fault = checkCompletion(given);
    expect(fault && faultText(fault)).toBe(message);
  });

  it("in the error, with the place", () => {
    const given = body({ logprobs: { tokens: "a", token_logprobs: [] } });
    expect(() => parsed(given)).toThrow(
      "unexpected_response: the answer is not a completion: choices[0].logprobs.tokens: a list of texts expected, a text came",
    );
  });
});

it("no recorded completion is refused", () => {
  const whole = exchanges.filter(
    (one) => one.path === "/v1/completions" && one.status === 200 && !isStream(one) && one.answer,
  );
  expect(whole.length).toBeGreaterThan(160);
  for (const { answer } of whole) expect(checkCompletion(JSON.parse(answer!))).toBeUndefined();
});
