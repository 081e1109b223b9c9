import { createClient } from "@residua/client";
import { afterAll, describe, expect, it } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import type { Capture } from "../../src/lens-types.ts";
import { steeringVector } from "../../src/steering/steering-vector.ts";

// What captures claim, tried on a real vLLM 0.30 with vllm-lens 1.3 and SmolLM2-135M-Instruct:
// RESIDUA_ORACLE=http://127.0.0.1:PORT npx vitest run --root packages/lens test/real-server

const origin = process.env["RESIDUA_ORACLE"]!;
const models = { smollm2: { hiddenSize: 576, layers: 30, vocabSize: 49152 } };
const client = createClient({ baseURL: `${origin}/v1`, apiKey: "", profile: "vllm", models });
const lens = createLens(client, { watchPreemptions: true });
afterAll(() => client.close());

const prompt = "The capital of France is";
const ids = [504, 3575, 282, 4649, 314];
const statuses = ({ checks }: Capture) =>
  Object.fromEntries(checks.map(({ code, status }) => [code, status]));
/** ‖a − b‖ / ‖b‖ */
function apart(a: Float32Array, b: Float32Array): number {
  let difference = 0;
  let norm = 0;
  for (const [i, x] of a.entries()) {
    difference += (x - (b[i] ?? 0)) ** 2;
    norm += (b[i] ?? 0) ** 2;
  }
  return Math.sqrt(difference / norm);
}

describe("a capture", () => {
  it("passes every check, names its tokens, and says what server it is of", async () => {
    const capture = await lens.capture({ prompt, layers: [20, 2], max_tokens: 4 });
    expect(capture).toMatchObject({ layers: [2, 20], positions: 8, hiddenSize: 576, dtype: "bfloat16" });
    expect(capture.tokens.map(({ id }) => id)).toEqual([...ids, 7042, 30, 198, 198]);
    expect(capture.tokens.map(({ text }) => text)).toEqual([
      ..."The| capital| of| France| is| Paris|.|\n|\n".split("|"),
    ]);
    expect(statuses(capture)).toEqual({
      capture_limit: "pass",
      layer_count: "pass",
      hidden_size: "pass",
      row_count: "pass",
      finite: "pass",
      token_ids: "pass",
      double_bos: "pass",
      other_request_rows: "pass",
      repeated_rows: "pass",
      preemptions: "pass",
    });
    expect(capture.server).toMatchObject({ profile: "vllm", normMatch: "stream" });
    expect(capture.server.fingerprint).toMatch(/^vllm-0\.30/);
  });

  it("of ids is that of the text, and its texts are the same", async () => {
    const text = await lens.capture({ prompt, layers: [10] });
    const same = await lens.capture({ prompt: ids, layers: [10] });
    expect(apart(same.layer(10), text.layer(10))).toBeLessThan(0.02);
    expect(same.tokens.map((token) => token.text)).toEqual(text.tokens.map((token) => token.text));
  });

  it("of bytes of their own is that of base64", async () => {
    const request = { prompt, layers: [2, 20] };
    const inline = await lens.capture(request);
    const binary = await lens.capture({ ...request, binary: true });
    for (const layer of [2, 20]) expect(apart(binary.layer(layer), inline.layer(layer))).toBeLessThan(0.02);
  });

  it("has prompt + generated − 1 rows however it ends", async () => {
    for (const fields of [
      { max_tokens: 1 },
      { max_tokens: 16 },
      { max_tokens: 32, stop: ["answer"] },
      { max_tokens: 32, stop: ["aris"] },
      { max_tokens: 32, stop_token_ids: [198] },
      { max_tokens: 8, min_tokens: 8 },
    ]) {
      const capture = await lens.capture({ prompt, layers: [10], ...fields });
      const { usage } = capture.completion;
      expect(capture.positions, JSON.stringify(fields)).toBe(5 + (usage?.completion_tokens ?? 0) - 1);
      expect(capture.tokens).toHaveLength(capture.positions + 1);
    }
    const chat = "<|im_start|>user\nSay hi.<|im_end|>\n<|im_start|>assistant\n";
    const ended = await lens.capture({ prompt: chat, layers: [10], max_tokens: 64 });
    expect(ended.completion.choices[0]?.finish_reason).toBe("stop");
    expect(ended.tokens.at(-1)?.id).toBe(2);
  });

  it("has texts of tokens within characters, as the prompt has them", async () => {
    const hard = "é 👋🏽 日本\n\tx<|im_start|>y";
    const { tokens } = await lens.capture({ prompt: hard, layers: [10] });
    const own = tokens.filter(({ role }) => role === "prompt");
    expect(own.map(({ text }) => text).join("")).toBe(hard);
    expect(own).toHaveLength(16);
  });

  it("of every layer comes without the number of layers", async () => {
    const bare = createClient({ baseURL: `${origin}/v1`, apiKey: "", profile: "vllm" });
    const all = await createLens(bare).capture({ prompt: ids, layers: "all" });
    expect(all.layers).toHaveLength(30);
    expect(statuses(all)["layer_count"]).toBe("unverified");
    await bare.close();
  });
});

describe("rows that are right are not refused", () => {
  it("of one token 300 times", async () => {
    for (const layers of [[0], [11, 20], [29]]) {
      const capture = await lens.capture({ prompt: Array<number>(300).fill(504), layers });
      expect(statuses(capture)["repeated_rows"]).toBe("unverified");
    }
  });

  it("of texts that repeat, of line ends, and of tokens that were never trained", async () => {
    const prompts = [
      Array.from({ length: 40 }, () => ids).flat(),
      "\n\n\n\nThe cat.\n\nThe dog.\n\n. . . .\n\n\nThe end.\n\n",
      [1, 2, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 1, 2, 0, 3, 4],
      '{"a": 1, "b": [1, 2, 3]}\n{"a": 1, "b": [1, 2, 3]}\n',
    ];
    for (const one of prompts) {
      for (const layers of [[0], [1, 11], [28, 29]]) {
        const capture = await lens.capture({ prompt: one, layers });
        expect(statuses(capture)["repeated_rows"]).toBe("pass");
        expect(statuses(capture)["other_request_rows"]).toBe("pass");
      }
    }
  });

  it("of prompts with a common beginning, many at once", async () => {
    const requests = Array.from({ length: 24 }, (_, i) => ({
      prompt: `${prompt} number ${i} of`,
      layers: [0, 20],
    }));
    for await (const { error, capture } of lens.captureMany(requests)) {
      expect(error).toBeUndefined();
      expect(capture?.checks.find(({ code }) => code === "other_request_rows")?.status).toBe("pass");
    }
  });
});

describe("what would be silently wrong", () => {
  it("is refused beforehand", async () => {
    const before = (await lens.capture({ prompt: ids, layers: [3] })).completion.id;
    for (const fields of [
      { n: 2 },
      { stream: true },
      { request_id: "x" },
      { layers: [30] },
      { layers: [-1] },
      { prompt: [49152] },
    ])
      await expect(lens.capture({ prompt, layers: [3], ...(fields as object) })).rejects.toMatchObject({
        code: "invalid_request",
      });
    expect(before).toMatch(/^cmpl-/);
  });

  it("a layer that there is not, where the number of layers is not known", async () => {
    const bare = createClient({ baseURL: `${origin}/v1`, apiKey: "", profile: "vllm" });
    const own = createLens(bare);
    await expect(own.capture({ prompt, layers: [3, 99] })).rejects.toMatchObject({ code: "layer_count" });
    const missing = own.capture({ prompt, layers: [99] });
    await expect(missing).rejects.toThrow(/the likeliest first: no asked layer exists/);
    await bare.close();
  });

  it("two requests at once, one steered: the other is not", async () => {
    const v = Float32Array.from({ length: 576 }, (_, i) => Math.sin(i));
    const steering = [steeringVector({ rows: { 10: v }, scale: 2 })];
    const [steered, plain] = await Promise.all([
      lens.capture({ prompt, layers: [10], steering }),
      lens.capture({ prompt, layers: [10] }),
    ]);
    const alone = await lens.capture({ prompt, layers: [10] });
    expect(apart(plain.layer(10), alone.layer(10))).toBeLessThan(0.02);
    expect(apart(steered.layer(10), alone.layer(10))).toBeGreaterThan(0.1);
  });
});
