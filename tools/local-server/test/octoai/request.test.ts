import { beforeAll, describe, expect, test } from "vitest";
import { prepareOctoai } from "../../src/octoai/prepare-octoai.ts";
import { serveModel } from "@residua/engine/api";
import { completed, invalid, serveOctoai } from "./octoai-support.ts";

const running = serveOctoai();
let vocab: number;
beforeAll(() => {
  vocab = running.model.config.vocabSize;
});

const ask = { prompt: "The city", max_tokens: 1 };
const refusal = (fields: object) => invalid(running, { ...ask, ...fields });

describe("refused by name", () => {
  test.each([
    ["suffix", " end", /^suffix: text is only added at the end here/],
    ["peft", "example_peft_id", /^peft: adapters cannot be loaded here/],
    ["top_k", 5, /^top_k: unknown field/],
    ["prompt_logprobs", 1, /^prompt_logprobs: unknown field/],
    ["priority", 1, /^priority: unknown field/],
    ["output_residual_stream", true, /^output_residual_stream: unknown field/],
    ["n", 0, /^n: .*>=1/],
    ["n", 1.5, /^n: /],
    ["n", null, /^n: .*null/],
    ["best_of", 0, /^best_of: .*>=1/],
    ["echo", 1, /^echo: /],
    ["frequency_penalty", 2.1, /^frequency_penalty: .*<=2/],
    ["presence_penalty", -2.1, /^presence_penalty: .*>=-2/],
    ["repetition_penalty", 0, /^repetition_penalty: .*>0/],
    ["temperature", 2.1, /^temperature: .*<=2/],
    ["temperature", -0.1, /^temperature: .*>=0/],
    ["top_p", 0, /^top_p: .*>0/],
    ["min_p", 1.1, /^min_p: .*<=1/],
    ["logprobs", -1, /^logprobs: .*>=0/],
    ["logprobs", 101, /^logprobs: .*<=100/],
    ["max_tokens", 0, /^max_tokens: .*>=1/],
    ["seed", -1, /^seed: .*>=0/],
    ["logit_bias", { 5: 100.1 }, /^logit_bias.5: .*<=100/],
    ["logit_bias", { 5: -100.1 }, /^logit_bias.5: .*>=-100/],
    ["logit_bias", { five: 1 }, /^logit_bias: "five" is no token id/],
    ["logit_bias", { "05": 1 }, /^logit_bias: "05" is no token id/],
    ["logit_bias", [1], /^logit_bias: /],
    ["stop", ["a", ""], /^stop: give a text or a list of at most 4 texts/],
    ["stop", ["a", "b", "c", "d", "e"], /^stop: give a text or a list/],
    ["prompt", [], /^prompt: give a text/],
    ["prompt", ["a", 1], /^prompt: entry 1 is of another kind/],
    ["stream_options", { include_usage: true }, /^stream_options: only with stream: true/],
    ["stream_options", { extra: true }, /^stream_options.extra: unknown field/],
    ["user", 5, /^user: /],
  ])("%s: %j", async (field, value, message) => {
    const found = await refusal({ [field]: value });
    expect(found).toEqual([expect.stringMatching(message) as string]);
  });

  test("every field at fault, in the form of a validation error", async () => {
    const { status, body } = await running.complete({ n: 0, extra: 1, model: undefined });
    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [
        { loc: ["body", "model"], msg: "field required", type: "missing" },
        { loc: ["body", "n"], msg: expect.any(String) as string, type: "value_error" },
        { loc: ["body", "extra"], msg: "unknown field; leave it out", type: "extra_forbidden" },
      ],
    });
  });

  test("a body that is no object, no JSON, or has names without end", async () => {
    expect(await invalid(running, "[1]")).toEqual([expect.stringMatching(/^: /) as string]);
    expect(await invalid(running, '{"model":"tiny","logit_bias":{"__proto__":1}}')).toEqual([
      expect.stringMatching(/^logit_bias: "__proto__" is no token id/) as string,
    ]);
    expect(await invalid(running, "{")).toEqual([": the body is not JSON in UTF-8"]);
    const [long] = await refusal({ ["x".repeat(100_000)]: 1 });
    expect(long!.length).toBeLessThan(200);
  });
});

describe("fields against each other and the model", () => {
  test("best_of is at least n", async () => {
    expect(await refusal({ n: 3, best_of: 2 })).toEqual(["best_of: is 2; give at least n, which is 3"]);
    await completed(running, { ...ask, n: 3, best_of: 3 });
  });

  test("best_of above n is not streamed", async () => {
    expect(await refusal({ n: 1, best_of: 2, stream: true })).toEqual([
      expect.stringMatching(/^best_of: is 2 with n 1: .* not with stream/) as string,
    ]);
  });

  test("logit_bias names tokens of the vocabulary, and not too many", async () => {
    await completed(running, { ...ask, logit_bias: { [vocab - 1]: -100, 0: 100 } });
    expect(await refusal({ logit_bias: { [vocab]: 1 } })).toEqual([
      `logit_bias: token id ${vocab} is not in the vocabulary; ids run from 0 to ${vocab - 1}`,
    ]);
    const many = Object.fromEntries(Array.from({ length: 4097 }, (_, id) => [id, "x"]));
    expect(await refusal({ logit_bias: many })).toEqual([
      "logit_bias: 4097 tokens, over the 4096 that it may name",
    ]);
  });

  test("prompts × best_of × max_tokens has a bound, and the refusal has the sum", async () => {
    expect(await refusal({ prompt: ["a", "b"], n: 2, best_of: 20, max_tokens: 801 })).toEqual([
      "max_tokens: 2 prompts × 20 best_of × 801 max_tokens = 32040, over the 32000 a request may generate",
    ]);
    const bound = { logit_bias: { [running.model.config.eosTokenIds[0]!]: 100 } };
    await completed(running, { ...bound, prompt: ["a", "b"], n: 2, best_of: 20, max_tokens: 800 });
  });

  test("so have the sequences", async () => {
    expect(await refusal({ best_of: 1025 })).toEqual([
      "best_of: 1 prompts × 1025 best_of = 1025 sequences, over the 1024 a request may ask for",
    ]);
    await completed(running, { ...ask, best_of: 1024 });
  });

  test("and the log probabilities of prompts", () => {
    const [served] = serveModel(running.model, "tiny", "residua/tiny");
    const most = { model: "tiny", n: 1024, logprobs: 63, max_tokens: 1 };
    const prompt = (length: number) => Array<number>(length).fill(5);
    const prepared = prepareOctoai({ ...most, prompt: prompt(16), loglikelihood: true }, served!);
    expect(prepared.generations[0]).toMatchObject({ n: 1024, promptLogprobs: 63 });
    expect(() => prepareOctoai({ ...most, prompt: prompt(17), echo: true }, served!)).toThrow(
      "logprobs: 17 prompt tokens × 1024 choices × 64 a token = 1114112 log probabilities, over the 1048576 a request may return of its prompts",
    );
  });

  test("prompt and max_tokens fit the model, ids are the vocabulary's", async () => {
    const { contextLength } = running.model.config;
    const long = (length: number) => ({ prompt: Array<number>(length).fill(5), max_tokens: 1 });
    await completed(running, long(contextLength - 1));
    expect(await refusal(long(contextLength))).toEqual([
      `prompt: ${contextLength} prompt tokens + 1 max_tokens = ${contextLength + 1}, over the ${contextLength} tokens that the model takes`,
    ]);
    expect(await refusal({ prompt: [vocab] })).toEqual([
      expect.stringMatching(/^prompt: token id .* is not in the vocabulary/) as string,
    ]);
  });

  test("a seed stays exact for every sequence", async () => {
    const top = Number.MAX_SAFE_INTEGER;
    expect(await refusal({ seed: top, best_of: 2 })).toEqual([
      expect.stringMatching(/^seed: .* give a smaller seed/) as string,
    ]);
    await completed(running, { ...ask, seed: top });
  });
});
