import type { InvalidRequestError } from "@residua/client";
import { APIError, type Completion, createClient, readLogprobs, readPromptLogprobs } from "@residua/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start, type Running } from "../support.ts";

const key = "key-of-the-profiles";
const prompt = ["The city of Rome is in", "The city of Paris is in"];
const sampling = { model: "tiny", max_tokens: 5, seed: 3, n: 2, temperature: 0.7 };

// One model behind three servers: what a user reads must not depend on how each of them says it.
const servers: Partial<Record<"acs" | "vllm" | "octoai", Running>> = {};
beforeAll(async () => {
  servers.acs = await start({ profile: "acs", apiKey: key });
  const { model } = servers.acs;
  servers.vllm = await start({ profile: "vllm", apiKey: key, model });
  servers.octoai = await start({ profile: "octoai", apiKey: key, model });
});
afterAll(async () => {
  await servers.vllm?.server.close();
  await servers.octoai?.server.close();
  await servers.acs?.close();
});

/** A client of each kind, typed as a user's. */
const clients = (apiKey = key) => ({
  acs: createClient({ baseURL: servers.acs!.server.url, apiKey, profile: "acs" }),
  vllm: createClient({ baseURL: servers.vllm!.server.url, apiKey, profile: "vllm" }),
  octoai: createClient({ baseURL: servers.octoai!.server.url, apiKey, profile: "octoai" }),
});

/** The same question, in each profile's own types. */
const ask = (client: ReturnType<typeof clients>, extra: { logprobs?: number; echo?: boolean } = {}) => ({
  acs: () => client.acs.completions.create({ ...sampling, prompt, ...extra }),
  vllm: () => client.vllm.completions.create({ ...sampling, prompt, ...extra }),
  octoai: () => client.octoai.completions.create({ ...sampling, prompt, ...extra }),
});

async function all(questions: Record<string, () => Promise<Completion>>): Promise<Completion[]> {
  return Promise.all(Object.values(questions).map((question) => question()));
}

test("the same texts, endings and counts come of each", async () => {
  const [acs, vllm, octoai] = (await all(ask(clients()))).map(({ choices, usage }) => ({
    texts: choices.map(({ text }) => text),
    endings: choices.map(({ finish_reason: reason }) => reason),
    prompt: usage?.prompt_tokens,
    completion: usage?.completion_tokens,
  }));
  expect(acs?.texts).toHaveLength(4);
  expect(vllm).toEqual(acs);
  expect(octoai).toEqual(acs);
});

test("log probabilities of both shapes are read alike, with echo too", async () => {
  for (const echo of [false, true]) {
    const completions = await all(ask(clients(), { logprobs: 2, echo }));
    // The two shapes are there.
    expect(completions.map(({ choices }) => Object.keys(choices[0]!.logprobs!).includes("content"))).toEqual([
      false,
      false,
      true,
    ]);
    const [acs, vllm, octoai] = completions.map(({ choices }) =>
      choices.map((choice) =>
        readLogprobs(choice)!.map(({ token, logprob, top, offset }) => ({
          token,
          logprob,
          best: top[0],
          codePoints: offset?.codePoints,
        })),
      ),
    );
    expect(acs!.flat().length).toBeGreaterThanOrEqual(20);
    const named = (readings: typeof acs) =>
      readings!.map((reading) =>
        reading.map(({ token, logprob, codePoints }) => ({ token, logprob, codePoints })),
      );
    expect(named(vllm)).toEqual(named(acs));
    // Chat-shaped lists have no token that nothing predicts.
    const generated = (readings: typeof acs) => named(readings).map((reading) => reading.slice(-5));
    expect(generated(octoai)).toEqual(generated(acs));
  }
});

test("streams give what whole answers hold", async () => {
  const client = clients();
  const [whole] = await all(ask(client));
  const streams = [
    await client.acs.completions.create({ ...sampling, prompt, stream: true }),
    await client.vllm.completions.create({ ...sampling, prompt, stream: true }),
    await client.octoai.completions.create({ ...sampling, prompt, stream: true }),
  ];
  for (const stream of streams) {
    const texts = ["", "", "", ""];
    for await (const { choices } of stream) for (const { index, text } of choices) texts[index] += text;
    expect(texts).toEqual(whole!.choices.map(({ text }) => text));
  }
});

describe("errors", () => {
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.unreachable(),
      (error: unknown) => error,
    );

  test("an unknown model is an APIError that is not worth trying again", async () => {
    const client = clients();
    const errors = await Promise.all([
      failure(client.acs.completions.create({ model: "nope", prompt: "a" })),
      failure(client.vllm.completions.create({ model: "nope", prompt: "a" })),
      failure(client.octoai.completions.create({ model: "nope", prompt: "a" })),
    ]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ retryable: false, attempts: 1 });
      expect((error as Error).message).toContain("nope");
    }
    expect(errors.map((error) => (error as APIError).status)).toEqual([400, 404, 404]);
  });

  test("a wrong key is one too, and in no message", async () => {
    const wrong = "acs-bm-wrong-key-of-nobody";
    for (const question of Object.values(ask(clients(wrong)))) {
      const error = await failure(question());
      expect(error).toMatchObject({ status: 401, retryable: false });
      expect(JSON.stringify([error, String(error), (error as APIError).body])).not.toContain(wrong);
    }
  });

  test("what a profile has not is refused with the place where it is", async () => {
    const client = clients();
    const fields = { model: "tiny", prompt: "a", output_residual_stream: [1], top_k: 3, best_of: 2 } as never;
    const refusals = await Promise.all([
      failure(client.acs.completions.create(fields)),
      failure(client.vllm.completions.create(fields)),
      failure(client.octoai.completions.create(fields)),
    ]);
    expect(
      refusals.map((error) => (error as InvalidRequestError).issues.map(({ field }) => field).sort()),
    ).toEqual([["best_of"], ["best_of", "output_residual_stream"], ["output_residual_stream", "top_k"]]);
  });
});

test("vllm's own routes: tokens, texts, version and health", async () => {
  const { vllm, acs } = clients();
  const { tokens, count } = await vllm.tokenize({ model: "tiny", prompt: prompt[0]! });
  expect(tokens).toEqual(servers.acs!.model.tokenizer.encode(prompt[0]!));
  expect(count).toBe(tokens.length);
  expect((await vllm.detokenize({ model: "tiny", tokens })).prompt).toContain(prompt[0]);
  expect((await vllm.version()).version).toMatch(/\d/);
  expect((await vllm.health()).status).toBe("ok");
  expect((await acs.health()).status).toBe("ok");
  const ids = await vllm.completions.create({
    model: "tiny",
    prompt: tokens,
    max_tokens: 1,
    prompt_logprobs: 0,
  });
  expect(readPromptLogprobs(ids.choices[0]!, { promptTokenIds: tokens })!.map(({ id }) => id)).toEqual(
    tokens,
  );
});
