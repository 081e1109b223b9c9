import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { floatsOf, rawTensor, someVector, start, tinyConfig, type Running, type Tensor } from "../support.ts";
import { chattingModel, events, post } from "./vllm-support.ts";

const { hidden_size: hiddenSize } = tinyConfig;
const prompt = "The city of Rome is in Europe. Verdict:";
const messages = [{ role: "user", content: "Is Rome in Europe?" }];

interface Captured {
  choices: { token_ids: number[]; prompt_token_ids: number[]; text: string; finish_reason: string }[];
  prompt_token_ids: number[];
  usage: { prompt_tokens: number; completion_tokens: number };
  activations?: { residual_stream: Tensor & { handle: string; nbytes: number; transport: string } };
}

let running: Running;
beforeAll(async () => {
  running = await start({ model: await chattingModel(), profile: "vllm" });
});
afterAll(() => running.close());

const complete = (body: object) =>
  post<Captured>(running.server.url, "/v1/completions", {
    prompt,
    max_tokens: 4,
    temperature: 0,
    return_token_ids: true,
    ...body,
  });
const captured = async (xargs: object, body: object = {}) => {
  const answer = await complete({ ...body, vllm_xargs: { output_residual_stream: "[0,1,2]", ...xargs } });
  expect(answer.body.error).toBeUndefined();
  return floatsOf(answer.body.activations!.residual_stream);
};
const steering = (vector: object, values = someVector(hiddenSize, 1)) =>
  JSON.stringify([
    { activations: rawTensor(values, [1, hiddenSize]), layer_indices: [1], scale: 2, ...vector },
  ]);
const refused = async (body: object, path = "/v1/completions") => {
  const { status, body: answer } = await post(running.server.url, path, { prompt, messages, ...body });
  expect(status).toBe(400);
  expect(answer.error).toMatchObject({ type: "BadRequestError", code: 400 });
  return answer.error!.message;
};

describe("capture", () => {
  test("is the engine's own, its layers ascending, with prompt + generated − 1 positions", async () => {
    const { body } = await complete({ vllm_xargs: { output_residual_stream: "[2,0,2]" } });
    const { token_ids, prompt_token_ids } = body.choices[0]!;
    const [generation] = await running.model.generate([
      { prompt: prompt_token_ids, maxTokens: 4, temperature: 0, capture: [0, 2] },
    ]);
    expect(token_ids).toEqual(generation!.choices[0]!.tokens);
    const positions = prompt_token_ids.length + token_ids.length - 1;
    const tensor = body.activations!.residual_stream;
    expect(tensor.shape).toEqual([2, positions, hiddenSize]);
    const values = floatsOf(tensor);
    generation!.capture!.values.forEach((layer, l) => {
      layer.forEach((value, i) => {
        expect(Math.abs(values[l * layer.length + i]! - value)).toBeLessThanOrEqual(Math.abs(value) / 128);
      });
    });
  });

  test("takes a real list too, and an empty one asks for nothing", async () => {
    const list = await complete({ vllm_xargs: { output_residual_stream: [1] } });
    expect(list.body.activations!.residual_stream.shape[0]).toBe(1);
    expect(
      (await complete({ vllm_xargs: { output_residual_stream: "[]" } })).body.activations,
    ).toBeUndefined();
  });

  test("a chat stream ends in one event with every position", async () => {
    const body = {
      messages,
      max_tokens: 5,
      temperature: 0,
      return_token_ids: true,
      stream_options: { include_usage: true },
      vllm_xargs: { output_residual_stream: "[1]" },
    };
    const whole = await post<Captured>(running.server.url, "/v1/chat/completions", {
      ...body,
      stream_options: null,
    });
    const streamed = await events<Captured>(running.server.url, "/v1/chat/completions", body);
    const last = streamed.pop()!;
    expect(Object.keys(last)).toEqual(["activations"]);
    const { usage } = streamed.pop()!;
    const tensor = last.activations!.residual_stream;
    expect(tensor.shape).toEqual([1, usage.prompt_tokens + usage.completion_tokens - 1, hiddenSize]);
    expect(tensor).toEqual(whole.body.activations!.residual_stream);
    expect(streamed.flatMap(({ choices }) => choices[0]!.token_ids ?? [])).toEqual(
      whole.body.choices[0]!.token_ids,
    );
  });

  test("is refused by name where it would be dropped", async () => {
    const vllm_xargs = { output_residual_stream: "[0]" };
    expect(await refused({ vllm_xargs, n: 2 })).toBe("n: output_residual_stream takes n = 1, and this is 2");
    expect(await refused({ vllm_xargs, prompt: ["a", "b"] })).toMatch(
      /^prompt: .* takes one prompt, and this has 2$/,
    );
    expect(await refused({ vllm_xargs, stream: true })).toMatch(/^output_residual_stream: not with stream/);
    expect(await refused({ vllm_xargs, n: 2 }, "/v1/chat/completions")).toMatch(/^n: /);
    expect(await refused({ output_residual_stream: "[0]" })).toMatch(/send it in vllm_xargs$/);
    expect(await refused({ extra_args: { output_residual_stream: [0] } })).toMatch(/^extra_args: /);
    expect(await refused({ vllm_xargs: { output_residual_steam: "[0]" } })).toMatch(
      /is no key that is read; there are/,
    );
    expect(await refused({ vllm_xargs: { output_qk: "[0]" } })).toMatch(/output_qk is not offered/);
    expect(await refused({ vllm_xargs: { apply_hooks: "[]" } })).toMatch(/apply_hooks runs Python functions/);
  });

  test("is bounded, and the error has the sum", async () => {
    const long = await refused({ prompt: Array<number>(900).fill(7), max_tokens: 2 ** 20 });
    expect(long).toMatch(/^max_tokens=1048576 cannot be greater than max_model_len=/);
    expect(await refused({ max_tokens: 100, n: 16_000 })).toBe(
      "max_tokens: 1 prompts × 16000 n × 100 max_tokens = 1600000, over the 1048576 generated tokens that this server takes; ask for less, or in several requests",
    );
  });
});

describe("binary transport", () => {
  const fetched = (path: string, init: RequestInit = {}) => fetch(new URL(path, running.server.url), init);

  test("answers with a handle to the bytes that the data would have, as often as asked", async () => {
    const inline = (await complete({ vllm_xargs: { output_residual_stream: "[0,1]" } })).body.activations!
      .residual_stream;
    const { body } = await complete({
      vllm_xargs: { output_residual_stream: "[0,1]", activations_transport: "binary" },
    });
    const { handle, nbytes, transport, ...form } = body.activations!.residual_stream;
    expect(transport).toBe("binary");
    expect({ ...form, data: inline.data }).toEqual(inline);
    for (const headers of [{}, { range: "bytes=0-9" }]) {
      const response = await fetched(`/v1/activations/${handle}`, { headers });
      expect(response.status).toBe(200);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.toString("base64")).toBe(inline.data);
      expect(bytes.length).toBe(nbytes);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "application/octet-stream",
        "content-length": String(nbytes),
        "cache-control": "no-store, private",
        "x-content-type-options": "nosniff",
        "x-vllm-lens-dtype": "int16",
        "x-vllm-lens-original-dtype": "torch.bfloat16",
        "x-vllm-lens-shape": `[${form.shape.join(", ")}]`,
        "x-vllm-lens-compression": "zstd",
      });
    }
  });

  test("an unknown handle is 404, another method 405", async () => {
    const unknown = await fetched("/v1/activations/x");
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({
      error: { message: "Unknown or expired activation handle", type: "Not Found", param: null, code: 404 },
    });
    for (const method of ["HEAD", "DELETE"]) {
      const other = await fetched("/v1/activations/x", { method });
      expect([other.status, other.headers.get("allow")]).toEqual([405, "GET"]);
    }
  });
});

describe("steering", () => {
  test("adds scale·v at the layer, at every position, and not before it", async () => {
    const values = someVector(hiddenSize, 3);
    const plain = await captured({}, { max_tokens: 1 });
    const steered = await captured({ apply_steering_vectors: steering({}, values) }, { max_tokens: 1 });
    const size = plain.length / 3;
    expect(steered.subarray(0, size)).toEqual(plain.subarray(0, size));
    for (let i = size; i < 2 * size; i++) {
      const added = 2 * values[i % hiddenSize]!;
      const error = Math.abs(steered[i]! - plain[i]! - added);
      // Both were rounded to bfloat16.
      expect(error).toBeLessThanOrEqual((Math.abs(plain[i]!) + Math.abs(steered[i]!)) / 128);
    }
  });

  test("positions are absolute: the first is steered once, a decoded one too", async () => {
    const at = async (position: number) => {
      const vector = {
        activations: rawTensor(someVector(hiddenSize, 3), [1, 1, hiddenSize]),
        position_indices: [position],
      };
      const plain = await captured({ output_residual_stream: "[1]" }, { ignore_eos: true });
      const steered = await captured(
        { output_residual_stream: "[1]", apply_steering_vectors: steering(vector) },
        { ignore_eos: true },
      );
      const rows = plain.length / hiddenSize;
      const row = (values: Float32Array, r: number) => values.subarray(r * hiddenSize, (r + 1) * hiddenSize);
      return Array.from({ length: rows }, (_, r) => r).filter(
        (r) =>
          Buffer.compare(
            Buffer.from(row(plain, r).slice().buffer),
            Buffer.from(row(steered, r).slice().buffer),
          ) !== 0,
      );
    };
    const first = await at(0);
    expect(first[0]).toBe(0);
    const tokens = (await complete({})).body.usage.prompt_tokens;
    expect((await at(tokens + 1))[0]).toBe(tokens + 1);
  });

  test("streams too", async () => {
    const body = {
      prompt,
      max_tokens: 8,
      temperature: 0,
      vllm_xargs: { apply_steering_vectors: steering({ scale: 30 }) },
    };
    const whole = await complete(body);
    const streamed = await events<Captured>(running.server.url, "/v1/completions", body);
    expect(streamed.map(({ choices }) => choices[0]!.text).join("")).toBe(whole.body.choices[0]!.text);
    const plain = await complete({ max_tokens: 8 });
    expect(whole.body.choices[0]!.text).not.toBe(plain.body.choices[0]!.text);
  });

  test.each([
    ["not json", /^apply_steering_vectors: is not JSON/],
    ["null", /^apply_steering_vectors: /],
    ["[]", /^apply_steering_vectors: an empty list steers nothing$/],
    ["[1]", /^apply_steering_vectors\[0\]: /],
    [
      steering({ layer_indices: [7] }),
      /^apply_steering_vectors\[0\]\.layer_indices: layer 7 is out of range; layers run from 0 to/,
    ],
    [steering({ layer_indices: [-1] }), /^apply_steering_vectors\[0\]\.layer_indices\[0\]: /],
    [steering({ layer_indices: [1, 1] }), /^apply_steering_vectors\[0\]\.layer_indices: /],
    [steering({ scale: "2" }), /^apply_steering_vectors\[0\]\.scale: /],
    [steering({}).replace('"scale":2', '"scale":NaN'), /NaN/],
    [steering({ position_indices: [1] }), /^apply_steering_vectors\[0\]\.position_indices: /],
    [
      steering({ activations: rawTensor([Number.NaN, ...someVector(hiddenSize - 1, 1)], [1, hiddenSize]) }),
      /not finite/,
    ],
    [
      steering({ activations: rawTensor(someVector(hiddenSize + 1, 1), [1, hiddenSize + 1]) }),
      /hidden size is/,
    ],
    [
      steering({
        activations: rawTensor(someVector(hiddenSize, 1), [1, 1, hiddenSize]),
        position_indices: [500],
      }),
      /position_indices: 500 is beyond the last position/,
    ],
  ])("%.60s is refused", async (vectors, message) => {
    expect(await refused({ vllm_xargs: { apply_steering_vectors: vectors } })).toMatch(message);
  });

  test("of too many numbers is refused before they are decoded", async () => {
    const huge = { data: "", dtype: "float32", shape: [1, 2 ** 20, hiddenSize], compression: "zstd" };
    expect(
      await refused({ vllm_xargs: { apply_steering_vectors: steering({ activations: huge }) } }),
    ).toMatch(/^apply_steering_vectors: \d+ numbers in all, over the 16777216/);
  });
});

test("the prefix cache: a repeat reads it, another salt and the skip key do not", async () => {
  const long = `${prompt} `.repeat(12);
  const hits = async (body: object) => {
    const count = () => running.model.stats().prefixHits;
    const before = count();
    await complete({ prompt: long, max_tokens: 1, ...body });
    return count() - before;
  };
  await hits({});
  expect(await hits({})).toBeGreaterThan(0);
  expect(await hits({ vllm_xargs: { skip_reading_prefix_cache: 1 } })).toBe(0);
  expect(await hits({ cache_salt: "other" })).toBe(0);
  expect(await hits({ cache_salt: "other" })).toBeGreaterThan(0);
  expect(await refused({ cache_salt: "a/b" })).toMatch(/^Parameter 'cache_salt' must be/);
});
