import { createClient, InvalidRequestError, serverTokenizer } from "@residua/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start, type Running } from "../support.ts";

let acs: Running;
let vllm: Running;
beforeAll(async () => {
  acs = await start({ profile: "acs" });
  vllm = await start({ profile: "vllm", model: acs.model });
});
afterAll(async () => {
  await vllm.server.close();
  await acs.close();
});

const onAcs = () => createClient({ baseURL: acs.server.url, apiKey: "" });
const onVllm = () => createClient({ baseURL: vllm.server.url, apiKey: "", profile: "vllm" });

/** `client` when it is refused before sending, else the status. */
async function verdict(sent: Promise<unknown>): Promise<unknown> {
  return sent.then(
    () => 200,
    (error: unknown) =>
      error instanceof InvalidRequestError ? "client" : (error as { status?: number }).status,
  );
}

/** What the server says to the same body, asked without the client. */
async function raw(url: string, body: object): Promise<number> {
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}/completions`, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

describe("what the client refuses the server refuses, and what it takes is taken", () => {
  const ids = (length: number) => Array<number>(length).fill(5);
  const base = { model: "tiny", max_tokens: 1 };

  test.each([
    [
      "max_tokens",
      { prompt: ["a", "b"], n: 8, max_tokens: 1 },
      { prompt: ["a", "b"], n: 8, max_tokens: undefined },
    ],
    ["output work", { prompt: "a", n: 32, max_tokens: 2 }, { prompt: "a", n: 32, max_tokens: 1001 }],
    ["choices", { prompt: ["a", "b"], n: 2 }, { prompt: ["a", "b"], n: 513 }],
    [
      "whole vocabulary",
      { prompt: ids(256), prompt_logprobs: -1 },
      { prompt: ids(257), prompt_logprobs: -1 },
    ],
    [
      "whole vocabulary beside a capture",
      { prompt: ids(16), prompt_logprobs: -1, output_residual_stream: [0] },
      { prompt: ids(17), prompt_logprobs: -1, output_residual_stream: [0] },
    ],
    ["layers", { prompt: "a", output_residual_stream: [5] }, { prompt: "a", output_residual_stream: [6] }],
    ["context", { prompt: ids(1023) }, { prompt: ids(1024) }],
    ["vocabulary", { prompt: [5] }, { prompt: [2 ** 20] }],
    [
      "one choice",
      { prompt: "a", output_residual_stream: [0] },
      { prompt: "a", output_residual_stream: [0], n: 2 },
    ],
    [
      "stream options",
      { prompt: "a", stream_options: null },
      { prompt: "a", stream_options: { include_usage: true } },
    ],
    [
      "steering numbers",
      { prompt: ids(600), apply_steering_vectors: steering(4) },
      { prompt: ids(600), apply_steering_vectors: steering(8) },
    ],
  ])("%s", async (_, taken, refused) => {
    const client = onAcs();
    expect(await verdict(client.completions.create({ ...base, ...taken }))).toBe(200);
    expect(await verdict(client.completions.create({ ...base, ...refused }))).toBe("client");
    expect(await raw(acs.server.url, { ...base, ...refused })).toBe(400);
  });

  /** Vectors of 6 layers × 500 positions × 96: of 8 there are 2304000 numbers. */
  function steering(vectors: number) {
    const shape = [6, 500, 96];
    const data = Buffer.alloc(4 * 6 * 500 * 96).toString("base64");
    return Array.from({ length: vectors }, () => ({
      activations: { data, dtype: "float32", shape },
      layer_indices: [0, 1, 2, 3, 4, 5],
    }));
  }
});

describe("a text is counted as the server counts it", () => {
  const text = "The city of Rome is in Europe. ".repeat(60);

  test("by the engine's tokenizer, and by POST /tokenize", async () => {
    const client = onAcs();
    const { usage } = await client.completions.create({ model: "tiny", prompt: text, max_tokens: 1 });
    for (const tokenizer of [acs.model.tokenizer, serverTokenizer(onVllm())]) {
      const found = await client.completions.check(
        { model: "tiny", prompt: text, prompt_logprobs: -1 },
        { tokenizer },
      );
      const sum = found.find(({ rule }) => rule === "full_vocabulary")?.sum;
      expect(sum).toBe(`${usage?.prompt_tokens} prompt tokens × 1 choices = ${usage?.prompt_tokens}`);
    }
  });

  test("so a limit on texts is refused before sending, where the bytes alone could not tell", async () => {
    const request = { model: "tiny", prompt: text, max_tokens: 1, prompt_logprobs: -1 };
    expect(await verdict(onAcs().completions.create(request))).toBe(400);
    const counted = createClient({ baseURL: acs.server.url, apiKey: "", tokenizer: acs.model.tokenizer });
    expect(await verdict(counted.completions.create(request))).toBe("client");
  });
});

test("a vllm server without a stated vocabulary is asked about the largest token id", async () => {
  const client = onVllm();
  const { vocabSize } = acs.model.config;
  const send = (id: number) =>
    verdict(client.completions.create({ model: "tiny", prompt: [1, id], max_tokens: 1 }));
  expect(await send(vocabSize - 1)).toBe(200);
  expect(await send(vocabSize)).toBe("client");
});

test("the routes at the root", async () => {
  const client = onVllm();
  const { tokens, count } = await client.tokenize({ prompt: "The city of Rome", add_special_tokens: false });
  expect(tokens).toHaveLength(count);
  expect(await client.detokenize({ tokens })).toEqual({ prompt: "The city of Rome" });
  expect(typeof (await client.version()).version).toBe("string");
  expect(await client.health()).toMatchObject({ status: "ok" });
  expect(await onAcs().health()).toMatchObject({ status: "ok" });
});
