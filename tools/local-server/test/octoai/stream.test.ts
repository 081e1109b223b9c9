import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { frames, openStream } from "../stream-support.ts";
import { chunksOf, completed, serveOctoai } from "./octoai-support.ts";

const running = serveOctoai();

const fields = { prompt: ["The city of", "A fine"], n: 2, max_tokens: 12, seed: 4, echo: true };

test("chunks have the shape of an answer, and add up to it", async () => {
  const asked = { ...fields, logprobs: 2, loglikelihood: true };
  const chunks = await chunksOf(running, asked);
  const whole = await completed(running, asked);
  expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1);
  for (const { system_fingerprint, model } of chunks)
    expect({ system_fingerprint, model }).toEqual({
      system_fingerprint: whole.system_fingerprint,
      model: whole.model,
    });
  for (const choice of whole.choices) {
    const own = chunks.flatMap(({ choices }) => choices).filter(({ index }) => index === choice.index);
    expect(own.map(({ text }) => text).join("")).toBe(choice.text);
    expect(own.flatMap(({ logprobs }) => logprobs!.content)).toEqual(choice.logprobs!.content);
    expect(own.map(({ finish_reason }) => finish_reason)).toEqual([
      ...Array<null>(own.length - 1).fill(null),
      choice.finish_reason,
    ]);
  }
  expect(chunks.length).toBeGreaterThan(4 * 4);
});

test("usage is on the last chunk, which has text, when it is asked for", async () => {
  const chunks = await chunksOf(running, { ...fields, stream_options: { include_usage: true } });
  const { usage } = await completed(running, fields);
  expect(chunks.slice(0, -1).every((chunk) => !("usage" in chunk))).toBe(true);
  expect(chunks.at(-1)).toMatchObject({ usage, choices: [{ finish_reason: expect.any(String) as string }] });
  for (const options of [undefined, {}, { include_usage: false }]) {
    const silent = await chunksOf(running, { ...fields, ...(options && { stream_options: options }) });
    expect(silent.every((chunk) => !("usage" in chunk))).toBe(true);
    expect(silent.every(({ choices }) => choices[0]!.logprobs === null)).toBe(true);
  }
});

test("a closed connection stops the generation", async () => {
  const end = new AbortController();
  const long = { prompt: "The", max_tokens: 1000, n: 8, ignore_eos: true };
  const response = await openStream(running, long, { signal: end.signal });
  const { value } = await frames(response).next();
  expect(value).toBeDefined();
  end.abort();
  for (let i = 0; running.model.stats().active > 0 && i < 200; i++) await sleep(10);
  expect(running.model.stats()).toMatchObject({ active: 0, waiting: 0 });
  expect(running.model.stats().generatedTokens).toBeLessThan(8000);
});
