import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { start } from "../support.ts";

test("a full queue is RateLimitError, and the SDK asks again after Retry-After", async () => {
  const running = await start();
  const client = new OpenAI({ baseURL: running.server.url, apiKey: "none", maxRetries: 0 });
  const long = {
    model: "tiny",
    prompt: "The",
    n: 7,
    max_tokens: 1000,
    temperature: 90,
    stream: true,
  } as const;
  // 16 run and 64 wait: a stream is answered as soon as it has its place.
  const streams = await Promise.all(Array.from({ length: 80 }, () => client.completions.create(long)));
  const short = { model: "tiny", prompt: "The", max_tokens: 1 };
  const refused = client.completions.create(short);
  await expect(refused).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  await expect(refused).rejects.toMatchObject({ status: 429, code: "queue_full", type: "rate_limit_error" });
  const began = performance.now();
  const patient = client.completions.create(short, { maxRetries: 1 });
  await sleep(300);
  for (const { controller } of streams) controller.abort();
  expect((await patient).choices.length).toBe(1);
  expect(performance.now() - began).toBeGreaterThan(4900);
  await running.close();
  expect(running.logged).toEqual([]);
});
