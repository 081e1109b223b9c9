import { type Completion, createClient, type StreamInterrupted } from "@residua/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Running, serve, start } from "../support.ts";

const prompt = ["The city of Rome is in", "The city of Paris is in", "The weather was"];
/** Every way in which a stream's chunks differ from the whole: several prompts and choices, echo, a stop text. */
const requests = {
  "prompts × n": { prompt, n: 2, max_tokens: 5, seed: 3, logprobs: 2 },
  echo: { prompt, max_tokens: 4, seed: 4, echo: true, logprobs: 1 },
  "a stop text": { prompt, n: 3, max_tokens: 24, seed: 1, stop: ["t", " the city"], logprobs: 0 },
  "no log probabilities": { prompt: "The", max_tokens: 6, temperature: 0 },
};
const profiles = ["acs", "vllm", "octoai"] as const;

/** What a server tells of a choice in one of its forms only. */
const untold = {
  acs: ["stop_reason"],
  // With echo: the prompt's token ids in a stream, its log probabilities in a whole answer.
  vllm: ["prompt_logprobs", "prompt_token_ids"],
  octoai: [],
};

/** Without what is not the same in two answers to one request. */
const comparable = ({ id: _, created: __, ...rest }: Completion, profile: keyof typeof untold): object => ({
  ...rest,
  choices: rest.choices.map((choice) =>
    Object.fromEntries(Object.entries(choice).filter(([field]) => !untold[profile].includes(field as never))),
  ),
});

/** Without the fields that hold nothing: a stream need not name them. */
const told = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, field: unknown) => (field === null ? undefined : field)));

describe.each(profiles)("profile %s", (profile) => {
  const running = serve({ profile });

  test.each(Object.entries(requests))(
    "a stream is collected to the answer that is not streamed: %s",
    async (_, fields) => {
      const client = createClient({ baseURL: running.server.url, apiKey: "" });
      const request = { model: "tiny", ...fields };
      const whole = await client.completions.create(request);
      const stream_options = { include_usage: true };
      const stream = await client.completions.create({ ...request, stream: true, stream_options });
      const collected = await stream.finalCompletion();
      expect(told(comparable(collected, profile))).toEqual(told(comparable(whole, profile)));
      for (const { index, text } of whole.choices) expect(stream.textOf(index)).toBe(text);
      await client.close();
    },
  );
});

describe("a server that fails", () => {
  let running: Running;
  beforeAll(async () => {
    running = await start({ testMode: true });
  });
  afterAll(() => running.close());

  const open = (quirk: string) => {
    const client = createClient({
      baseURL: running.server.url,
      apiKey: "",
      headers: { "x-residua-quirk": quirk },
    });
    return client.completions.create({ model: "tiny", prompt: "The", max_tokens: 8, seed: 1, stream: true });
  };

  test("without [DONE]: what came is with the error", async () => {
    const stream = await open("stream-without-done");
    const error = (await stream.finalCompletion().catch((e: unknown) => e)) as StreamInterrupted;
    expect(error).toMatchObject({ code: "stream_interrupted", reason: "end" });
    expect(error.partial.choices[0]?.text).toBe(stream.textOf(0));
    expect(error.chunks).toBeGreaterThan(0);
  });

  test("with an error in the stream", async () => {
    const stream = await open("stream-error");
    const error: unknown = await stream.finalCompletion().catch((e: unknown) => e);
    expect(error).toMatchObject({ name: "APIError", status: 200 });
  });
});
