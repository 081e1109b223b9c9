import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIError, type Completion, ResiduaError } from "../../src/index.ts";
import type { ListedLogprobs } from "../../src/responses/completion.ts";
import { exchangeOf, exchanges, isStream } from "../recordings/exchanges.ts";
import { caught } from "../client-support.ts";
import { done, event, head, readAll, streamOf, textEvent, usage, usageEvent } from "./stream-of.ts";

const final = async (pieces: string[], shape: { prompts?: number; n?: number } = {}): Promise<Completion> =>
  (await streamOf({ pieces, ...shape })).finalCompletion();

describe("finalCompletion", () => {
  it("equals the answer to the same request that was not streamed", async () => {
    for (const [streamed, whole] of [
      ["main/stream_return_ids", "hooks/persist_run"],
      ["main/stream_echo_max0", "main/comp_echo_max0"],
    ] as const) {
      const [collected] = (await final([exchangeOf(streamed).answer!])).choices;
      const [expected] = (JSON.parse(exchangeOf(whole).answer!) as Completion).choices;
      for (const field of ["index", "text", "logprobs", "finish_reason", "stop_reason", "token_ids"]) {
        expect(collected?.[field]).toEqual(expected?.[field]);
      }
      // The stream tells the prompt's tokens with echo also when they were not asked for.
      if (expected?.prompt_token_ids) expect(collected?.prompt_token_ids).toEqual(expected.prompt_token_ids);
    }
  });

  it("is the same however a recorded stream is cut", async () => {
    const bytes = new TextEncoder().encode(exchangeOf("main/stream_unicode").answer!);
    const whole = await final([exchangeOf("main/stream_unicode").answer!]);
    expect(whole.choices[0]).toMatchObject({ prompt_token_ids: expect.arrayContaining([48010]) as unknown });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        const stream = await streamOf({ pieces });
        expect(await stream.finalCompletion()).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });

  it("merges log probabilities whose offsets run on, as vLLM sends them", async () => {
    const { choices, system_fingerprint } = await final([exchangeOf("main/stream_echo").answer!]);
    const { text, prompt_token_ids } = choices[0]!;
    const logprobs = choices[0]!.logprobs as ListedLogprobs;
    expect(text).toBe("The capital of France is Paris.\n");
    expect(logprobs.tokens.join("")).toBe(text);
    expect(logprobs.text_offset).toEqual([0, 3, 11, 14, 21, 24, 30, 31]);
    expect(logprobs.token_logprobs).toHaveLength(8);
    expect(logprobs.top_logprobs?.[0]).toBeNull();
    expect(logprobs.top_logprobs?.[7]).toEqual({ "\n": -1.0058069229125977 });
    expect(prompt_token_ids).toEqual([504, 3575, 282, 4649, 314]);
    expect(system_fingerprint).toBe("vllm-0.30.0-3d636598");
  });

  it("lets offsets run on that begin anew in every chunk", async () => {
    const part = (tokens: string[], text_offset: number[]) =>
      textEvent(tokens.join(""), {
        logprobs: { tokens, text_offset, token_logprobs: tokens.map(() => -1), top_logprobs: null },
      });
    const parts = [part(["", "👋🏽a"], [0, 0]), part(["b", "cd"], [0, 1]), part(["e"], [0]), done];
    const { logprobs } = (await final(parts)).choices[0]!;
    expect(logprobs).toEqual({
      tokens: ["", "👋🏽a", "b", "cd", "e"],
      text_offset: [0, 0, 3, 4, 6],
      token_logprobs: [-1, -1, -1, -1, -1],
      top_logprobs: null,
    });
    const runsOn = [part(["", ""], [0, 0]), part(["", "b"], [0, 0]), part(["e"], [1]), done];
    expect((await final(runsOn)).choices[0]?.logprobs?.text_offset).toEqual([0, 0, 0, 0, 1]);
  });

  it("joins chat-shaped log probabilities", async () => {
    const content = (token: string) => [{ token, logprob: -1, bytes: null, top_logprobs: [] }];
    const pieces = [
      textEvent("a", { logprobs: { content: content("a") } }),
      textEvent("", { logprobs: { content: null } }),
      textEvent("b", { logprobs: { content: [...content("b"), null] }, finish_reason: "length" }),
      done,
    ];
    const { logprobs } = (await final(pieces)).choices[0]!;
    expect(logprobs).toEqual({ content: [...content("a"), ...content("b"), null] });
  });

  it("collects several prompts × n that come interleaved, by index p * n + i", async () => {
    const step = fc.record({
      index: fc.nat(5),
      text: fc.string({ unit: "grapheme", maxLength: 3 }),
      ids: fc.array(fc.nat(9), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.constantFrom([2, 3], [3, 2], [6, 1]),
        async (steps, [prompts = 1, n = 1]) => {
          const ends = [0, 1, 2, 3, 4, 5].map((index) => textEvent("", { finish_reason: "length" }, index));
          const pieces = steps.map(({ index, text, ids }) => textEvent(text, { token_ids: ids }, index));
          const completion = await final([...pieces, ...ends, done], { prompts, n });
          for (let p = 0; p < prompts; p++) {
            for (const [i, choice] of completion.choicesOf(p).entries()) {
              const mine = steps.filter(({ index }) => index === p * n + i);
              expect(choice).toMatchObject({
                index: p * n + i,
                text: mine.map(({ text }) => text).join(""),
                finish_reason: "length",
              });
              expect(choice.token_ids ?? []).toEqual(mine.flatMap(({ ids }) => ids));
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("joins text and token ids each for itself: a stop text makes a chunk's differ", async () => {
    const pieces = [
      textEvent(" ", { token_ids: [7042] }),
      textEvent("P", { token_ids: [30, 198] }),
      textEvent("", { token_ids: [], finish_reason: "stop", stop_reason: "aris" }),
      done,
    ];
    expect((await final(pieces)).choices[0]).toMatchObject({
      text: " P",
      token_ids: [7042, 30, 198],
      finish_reason: "stop",
      stop_reason: "aris",
    });
  });

  it("keeps what comes beside the choices, also on a last event of its own", async () => {
    const activations = { residual_stream: { data: "AAA=", shape: [1, 1, 1] } };
    const pieces = [
      event({
        ...head,
        choices: [{ index: 0, text: "a", finish_reason: "stop", routed: null }],
        system_fingerprint: null,
      }),
      event({ ...head, choices: [], usage, system_fingerprint: "f1" }),
      event({ activations }),
      done,
    ];
    const completion = await final(pieces);
    expect(completion).toEqual({
      ...head,
      choices: [{ index: 0, text: "a", finish_reason: "stop", routed: null }],
      usage,
      system_fingerprint: "f1",
      activations,
    });
  });

  it("is refused when nothing came of a choice, and has null where no reason came", async () => {
    const error = await caught(final([textEvent("a"), done], { n: 2 }));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: "choices_mismatch", requestID: "req_1" });
    expect((await final([textEvent("a"), done])).choices[0]).toMatchObject({
      text: "a",
      finish_reason: null,
    });
  });

  it("is given after a loop; log probabilities only when asked for before it", async () => {
    const logprobs = { tokens: ["a"], token_logprobs: [-1], top_logprobs: [{ a: -1 }], text_offset: [0] };
    const pieces = [textEvent("a", { logprobs }), done];
    const asked = await streamOf({ pieces });
    const promise = asked.finalCompletion();
    expect(await readAll(asked)).toHaveLength(1);
    expect((await promise).choices[0]).toMatchObject({ text: "a", logprobs });
    expect(asked.finalCompletion()).toBe(promise);

    const late = await streamOf({ pieces });
    await readAll(late);
    const error = await caught(late.finalCompletion());
    expect(error).toBeInstanceOf(ResiduaError);
    expect(error).toMatchObject({ code: "logprobs_not_kept" });

    const none = await streamOf({ pieces: [textEvent("a"), done] });
    await readAll(none);
    expect((await none.finalCompletion()).choices[0]).toMatchObject({ text: "a", logprobs: null });
  });

  it("collects 20000 chunks of log probabilities in linear time", async () => {
    const logprobs = { tokens: ["a"], token_logprobs: [-1], top_logprobs: [{ a: -1 }], text_offset: [0] };
    const many = textEvent("a", { logprobs, token_ids: [1] }).repeat(20_000);
    const start = performance.now();
    const [choice] = (await final([many, done])).choices;
    expect(performance.now() - start).toBeLessThan(3000);
    expect(choice?.text).toHaveLength(20_000);
    expect((choice?.logprobs as ListedLogprobs).text_offset?.at(-1)).toBe(19_999);
  });
});

describe("usage", () => {
  const running = (index: number, completion_tokens: number, prompt_tokens = 4) =>
    event({
      ...head,
      choices: [{ index, text: "a" }],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    });
  const usageOf = async (pieces: string[], shape: { prompts?: number; n?: number } = {}) => {
    const stream = await streamOf({ pieces: [...pieces, done], ...shape });
    await readAll(stream);
    return stream.usage;
  };

  it("is what the chunk without choices says", async () => {
    expect(await usageOf([running(0, 1), usageEvent])).toEqual(usage);
    expect(await usageOf([textEvent("a")])).toBeUndefined();
  });

  it("may ride on one chunk with a choice", async () => {
    expect(await usageOf([textEvent("a"), running(1, 9)], { n: 2 })).toMatchObject({ completion_tokens: 9 });
  });

  it("is added up from running totals, a prompt once", async () => {
    const pieces = [
      running(0, 1),
      running(1, 1),
      running(0, 2),
      running(2, 3, 7),
      running(3, 1, 7),
      running(3, 5, 7),
    ];
    expect(await usageOf(pieces, { prompts: 2, n: 2 })).toEqual({
      prompt_tokens: 11,
      completion_tokens: 2 + 1 + 3 + 5,
      total_tokens: 22,
    });
    const { answer } = exchangeOf("main/stream_usage_cont");
    expect(await usageOf([answer!])).toEqual({ prompt_tokens: 5, total_tokens: 11, completion_tokens: 6 });
  });
});

it("every recorded stream is collected to a completion that a parse accepts", async () => {
  const streams = exchanges.filter(
    (one) => one.path === "/v1/completions" && isStream(one) && !/\{"error"/.test(one.answer!),
  );
  expect(streams.length).toBeGreaterThan(10);
  for (const { answer, body } of streams) {
    const prompts = Array.isArray((body as { prompt: unknown }).prompt) ? 2 : 1;
    const { choices } = await final([answer!], { prompts });
    expect(choices.every(({ finish_reason }) => finish_reason === "length" || finish_reason === "stop")).toBe(
      true,
    );
  }
});
