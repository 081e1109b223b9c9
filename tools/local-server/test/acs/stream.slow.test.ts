import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { refused as refusal, someVector, rawTensor, serve } from "../support.ts";
import { frames, joined, openStream, streamed, type Chunk } from "../stream-support.ts";

const running = serve({ keepAliveInterval: 5 });
const refused = (body: unknown) => refusal(running, body);

const prompt = "The city";
/** Each choice of a stream is what the same request gives unstreamed. */
async function sameAsWhole(body: object): Promise<Chunk[]> {
  const chunks = await streamed(running, body);
  const whole = (await running.complete(body)).body;
  for (const { index, text, finish_reason, logprobs } of whole.choices) {
    const own = joined(chunks, index);
    expect(own.text).toBe(text);
    expect(own.logprobs).toEqual(logprobs);
    expect(own.finishReasons.at(-1)).toBe(finish_reason);
    expect(own.finishReasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
  }
  return chunks;
}

describe("chunks", () => {
  test("have the documented keys and nothing else, and no token counts", async () => {
    const chunks = await sameAsWhole({ prompt, max_tokens: 6, temperature: 0 });
    const { id, created } = chunks[0]!;
    expect(id).toMatch(/^cmpl-[0-9a-f]{16}$/);
    chunks.forEach(({ choices, ...head }, i) => {
      expect(head).toEqual({ id, object: "text_completion", created, model: "residua/tiny" });
      expect(choices).toEqual([
        {
          index: 0,
          text: expect.any(String) as string,
          logprobs: null,
          finish_reason: choices[0]!.finish_reason,
        },
      ]);
      if (i < chunks.length - 1) expect(choices[0]!.text).not.toBe("");
    });
  });

  test("include_usage adds one last chunk with empty choices", async () => {
    const body = { prompt: [prompt, "A"], n: 2, max_tokens: 3, seed: 1 };
    const chunks = await streamed(running, { ...body, stream_options: { include_usage: true } });
    const { usage } = (await running.complete(body)).body;
    const last = chunks.pop()!;
    const { id, object, created, model } = chunks[0]!;
    expect(last).toEqual({ id, object, created, model, choices: [], usage });
    for (const chunk of chunks) expect(chunk).not.toHaveProperty("usage");
    for (const stream_options of [{}, { include_usage: false }, null]) {
      const plain = await streamed(running, { ...body, stream_options });
      for (const chunk of plain) expect(chunk).not.toHaveProperty("usage");
    }
  });

  test("of several prompts and choices come mixed, by the index p × n + i", async () => {
    const chunks = await sameAsWhole({
      prompt: [prompt, "A"],
      n: 3,
      max_tokens: 8,
      seed: 3,
      temperature: 1.5,
    });
    const order = chunks.map(({ choices }) => choices[0]!.index);
    expect(new Set(order)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
  });

  test("log probabilities go with their texts, and offsets run on", async () => {
    const body = { prompt: "Größe 🌍", max_tokens: 12, n: 2, temperature: 5, seed: 2, logprobs: 3 };
    for (const echo of [false, true]) {
      const chunks = await sameAsWhole({ ...body, echo });
      const { text_offset, tokens } = joined(chunks, 0).logprobs!;
      let offset = 0;
      tokens.forEach((text, i) => {
        expect(text_offset[i]).toBe(offset);
        offset += [...text].length;
      });
    }
    await sameAsWhole({ ...body, logprobs: 0 });
  });

  test("echo puts the prompt into the first chunk of each choice", async () => {
    for (const given of [prompt, running.model.tokenizer.encode(prompt)]) {
      const chunks = await sameAsWhole({ prompt: given, n: 2, max_tokens: 5, seed: 1, echo: true });
      const echoed = typeof given === "string" ? given : running.model.tokenizer.decode(given);
      for (const index of [0, 1]) {
        const first = chunks.find(({ choices }) => choices[0]!.index === index)!.choices[0]!.text;
        expect(first.startsWith(echoed)).toBe(true);
        expect(first.length).toBeGreaterThan(echoed.length);
      }
    }
  });

  test("characters come whole and the beginnings of stop texts are held back", async () => {
    await sameAsWhole({ prompt: "Größe 🌍", max_tokens: 150, temperature: 40, seed: 3 });
    const free = (await running.complete({ prompt, max_tokens: 12, temperature: 0 })).body.choices[0]!.text;
    const stop = free.slice(4, 8);
    const chunks = await sameAsWhole({
      prompt,
      max_tokens: 12,
      temperature: 0,
      stop: [stop, `${free}\u0000`],
    });
    // All of it could begin the second stop text, so nothing is sent before the end.
    expect(chunks.map(({ choices }) => choices[0]!.text)).toEqual([free.slice(0, free.indexOf(stop))]);
    await sameAsWhole({ prompt, max_tokens: 12, temperature: 0, stop });
  });

  test("steering acts in a stream", async () => {
    const size = running.model.config.hiddenSize;
    const steered = {
      prompt,
      max_tokens: 8,
      temperature: 0,
      apply_steering_vectors: [
        { activations: rawTensor(someVector(size, 3), [1, size]), layer_indices: [1], scale: 20 },
      ],
    };
    const chunks = await sameAsWhole(steered);
    const plain = (await running.complete({ ...steered, apply_steering_vectors: null })).body;
    expect(joined(chunks, 0).text).not.toBe(plain.choices[0]!.text);
  });
});

describe("refusals, before the stream starts", () => {
  test("prompt_logprobs and a capture by name; stream_options without stream", async () => {
    expect(await refused({ prompt, stream: true, prompt_logprobs: 0 })).toMatch(/^prompt_logprobs: not with/);
    expect(await refused({ prompt, stream: true, output_residual_stream: [0] })).toMatch(
      /^output_residual_stream: not with/,
    );
    expect(await refused({ prompt, stream_options: { include_usage: true } })).toMatch(
      /^stream_options: only/,
    );
    expect(await refused({ prompt, stream: false, stream_options: {} })).toMatch(/^stream_options: only/);
    expect(await refused({ prompt, stream: true, stream_options: { include: true } })).toBe(
      "stream_options.include: unknown field; leave it out",
    );
    expect(await refused({ prompt, stream: 1 })).toMatch(/^stream: /);
    await streamed(running, { prompt, max_tokens: 1, output_residual_stream: false, prompt_logprobs: null });
  });

  test("a bad field is a plain 400", async () => {
    expect(await refused({ prompt, stream: true, temperature: -1 })).toMatch(/^temperature: /);
  });
});

test("an error after the start is the last event before [DONE]", async () => {
  const { hiddenSize } = running.model.config;
  const tokens = running.model.tokenizer.encode(prompt);
  const huge = rawTensor(Array<number>(hiddenSize).fill(1e38), [1, 1, hiddenSize]);
  const body = {
    prompt: tokens,
    max_tokens: 20,
    temperature: 3,
    stream_options: { include_usage: true },
    apply_steering_vectors: [
      { activations: huge, layer_indices: [0], scale: 1e30, position_indices: [tokens.length + 1] },
    ],
  };
  // A seed whose text is long enough to reach the broken position.
  for (let seed = 0; seed < 20; seed++) {
    const chunks = await streamed(running, { ...body, seed });
    const error = chunks.pop()!;
    if (error.error === undefined) continue;
    expect(error).toEqual({
      error: {
        message: expect.stringContaining("not finite") as string,
        type: "invalid_request_error",
        code: "invalid_request",
      },
      request_id: expect.stringMatching(/^req_/) as string,
    });
    expect(chunks.length).toBeGreaterThan(0);
    for (const chunk of chunks) expect(chunk).not.toHaveProperty("usage");
    return;
  }
  expect.fail("no seed reached the broken position");
});

test("comments keep the connection alive while a long prompt runs", async () => {
  const prompts = Array.from({ length: 4 }, (_, i) => Array<number>(1000).fill(i + 3));
  const response = await openStream(running, { prompt: prompts, max_tokens: 1 });
  const seen: string[] = [];
  for await (const frame of frames(response)) seen.push(frame);
  expect(seen[0]).toBe(": keep-alive");
  expect(seen.at(-1)).toBe("[DONE]");
});

test("a closed connection stops the generation at once", async () => {
  const leave = new AbortController();
  const before = running.model.stats().generatedTokens;
  const response = await openStream(
    running,
    { prompt, n: 31, max_tokens: 1000, temperature: 90 },
    { signal: leave.signal },
  );
  for await (const frame of frames(response)) {
    if (frame.startsWith(":")) continue;
    expect(running.model.stats().active).toBe(1);
    leave.abort();
    break;
  }
  while (running.model.stats().active > 0) await sleep(5);
  const stopped = running.model.stats().generatedTokens;
  expect(stopped).toBeGreaterThan(before);
  expect(stopped - before).toBeLessThan(31 * 100);
  await sleep(100);
  expect(running.model.stats().generatedTokens).toBe(stopped);
});
