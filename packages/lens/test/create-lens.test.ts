import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import type { CompletionRequest } from "@residua/client";
import { afterEach, describe, expect, it } from "vitest";
import { createLens } from "../src/create-lens.ts";
import type { Lens } from "../src/lens-types.ts";
import { steeringVector } from "../src/steering/steering-vector.ts";
import {
  exchange,
  type Faults,
  planted,
  replayServer,
  type ReplayServer,
  rightAnswer,
  smollm2,
  tiny,
} from "./replay-server.ts";

const open: ReplayServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function setup(
  reply: (request: CompletionRequest) => unknown,
  models: object[] = [tiny],
): Promise<{ lens: Lens; server: ReplayServer }> {
  const server = await replayServer(models, reply);
  open.push(server);
  return { server, lens: createLens(server.client) };
}

const right = (faults: Faults = {}) => setup((request) => rightAnswer(request, faults));
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "taken",
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
const request = { model: "tiny", prompt: "The sky is blue", layers: [3, 1] };
const ids = [0, 7, 8, 9];

describe("capture", () => {
  it("asks for what it needs, and reads rows by layer and position", async () => {
    const { lens, server } = await right();
    const capture = await lens.capture({ ...request, max_tokens: 3, seed: 5 });
    expect(server.requests).toEqual([
      {
        model: "tiny",
        prompt: request.prompt,
        max_tokens: 3,
        temperature: 0,
        seed: 5,
        logprobs: 1,
        prompt_logprobs: 0,
        output_residual_stream: [1, 3],
      },
    ]);
    expect(capture).toMatchObject({
      model: "tiny",
      layers: [1, 3],
      hiddenSize: 8,
      positions: 7,
      dtype: "bfloat16",
    });
    for (const layer of [1, 3]) {
      for (let position = 0; position < 7; position++) {
        const expected = Array.from({ length: 8 }, (_, i) => planted(layer, position, i));
        expect([...capture.row({ layer, position })]).toEqual(expected);
        expect([...capture.row({ layer, position: position - 7 })]).toEqual(expected);
        expect([...capture.layer(layer).subarray(position * 8, position * 8 + 8)]).toEqual(expected);
      }
    }
    expect(capture.tokens).toEqual([
      { id: 0, text: null, role: "prompt" },
      { id: 100, text: "The", role: "prompt" },
      { id: 101, text: " sky", role: "prompt" },
      { id: 102, text: " is", role: "prompt" },
      { id: 103, text: " blue", role: "prompt" },
      { id: null, text: " g0", role: "generated" },
      { id: null, text: " g1", role: "generated" },
      { id: null, text: " g2", role: "generated" },
    ]);
    expect(capture.checks.map(({ code, status }) => [code, status])).toEqual([
      ["capture_limit", "pass"],
      ["layer_count", "pass"],
      ["hidden_size", "pass"],
      ["row_count", "pass"],
      ["finite", "pass"],
      ["token_ids", "pass"],
      ["double_bos", "pass"],
      ["zero_rows", "pass"],
      ["equal_layers", "pass"],
      ["other_request_rows", "pass"],
      ["repeated_rows", "pass"],
    ]);
  });

  it("C25: keeps no base64 and hands out copies only", async () => {
    const { lens } = await right();
    const capture = await lens.capture(request);
    expect(capture.completion.activations).toBeUndefined();
    expect(capture.completion.choicesOf(0)).toHaveLength(1);
    const row = capture.row({ layer: 1, position: 0 });
    expect(row.buffer.byteLength).toBe(32);
    row.fill(9);
    capture.rowBits({ layer: 1, position: 0 }).fill(9);
    capture.layer(1).fill(9);
    expect(capture.row({ layer: 1, position: 0 })[0]).toBe(planted(1, 0, 0));
    expect(inspect(capture).length).toBeLessThan(4000);
  });

  it("refuses a layer or position that it does not hold", async () => {
    const { lens } = await right();
    const capture = await lens.capture(request);
    expect(() => capture.row({ layer: 2, position: 0 })).toThrow("layer 2 asked; captured: 1, 3");
    expect(() => capture.layer(-1)).toThrow("layer -1 asked");
    for (const position of [5, -6, 0.5, NaN])
      expect(() => capture.row({ layer: 1, position })).toThrow("captured: 0 to 4");
  });

  it("takes every layer", async () => {
    const { lens, server } = await right();
    expect((await lens.capture({ ...request, layers: "all" })).layers).toEqual([0, 1, 2, 3, 4]);
    expect(server.requests[0]?.output_residual_stream).toEqual([0, 1, 2, 3, 4]);
    const other = await lens.capture({ ...request, model: "tiny-uncatalogued", layers: "all" });
    expect(other.layers).toEqual([0, 1, 2, 3, 4]);
    expect(server.requests[1]?.output_residual_stream).toBe(true);
    expect(other.checks).toContainEqual({ code: "layer_count", status: "unverified", detail: "5 layers" });
  });

  it("refuses before sending", async () => {
    const { lens, server } = await right();
    const refused = (fields: object) => codeOf(lens.capture({ ...request, ...fields }));
    for (const layers of [[], [1, 1], [-1], [1.5], [5], 3, "every", undefined])
      expect(await refused({ layers })).toBe("invalid_request");
    for (const prompt of [["a", "b"], [[1]], [], [1, "a"], [900], [-1], undefined])
      expect(await refused({ prompt })).toBe("invalid_request");
    for (const fields of [
      { n: 2 },
      { max_tokens: 0 },
      { stream: true },
      { laters: [1] },
      { steering: [{}] },
      { temperature: 101 },
    ]) {
      expect(await refused(fields), JSON.stringify(fields)).toBe("invalid_request");
    }
    expect(await refused({ prompt: [0, 0, 5] })).toBe("double_bos");
    expect(server.requests).toEqual([]);
    await expect(lens.capture({ ...request, layers: [5] })).rejects.toThrow(
      "0 to 4 (tiny has 5 layers, from the catalogue)",
    );
  });

  it("capture limit: refuses before sending with the sum and what would fit", async () => {
    const { lens, server } = await right();
    const uncatalogued = {
      model: "tiny-uncatalogued",
      prompt: Array<number>(682).fill(5),
      layers: [0, 1, 2],
    };
    await expect(lens.capture(uncatalogued)).rejects.toMatchObject({
      code: "capture_too_large",
      message: expect.stringContaining(
        "would fit: 2 of 3 layers at 683 tokens, or 2 requests (split: true), or 682 tokens at 3 layers",
      ) as string,
    });
    expect(server.requests).toEqual([]);
    // What was observed of the width serves shape checks; the limit still counts with the largest.
    await lens.capture({ ...uncatalogued, prompt: [5] });
    expect(await codeOf(lens.capture(uncatalogued))).toBe("capture_too_large");
    expect(server.requests).toHaveLength(1);
    expect(await codeOf(lens.capture({ ...uncatalogued, prompt: "x ".repeat(500) }))).toBe("taken");
  });
});

describe("verification", () => {
  it.each([
    ["missing_activations", { layers: [] }],
    ["layer_count", { layers: [1] }],
    ["layer_count", { layers: [1, 2, 3] }],
    ["row_count", { rows: 4 }],
    ["row_count", { rows: 6 }],
    ["hidden_size", { hiddenSize: 16 }],
    ["token_count", { promptIds: [0, 100, 101] }],
    ["double_bos", { promptIds: [0, 0, 101, 102, 103] }],
  ] as [string, Faults][])("C1, C2, C9: %s %j", async (code, faults) => {
    const { lens } = await right(faults);
    expect(await codeOf(lens.capture(request))).toBe(code);
  });

  it("layer check: fewer layers than asked are refused, not relabelled", async () => {
    const { lens } = await right({ layers: [3] });
    await expect(lens.capture(request)).rejects.toMatchObject({
      code: "layer_count",
      data: { expected: 2, received: 1 },
    });
  });

  it("row check: rows other than prompt + generated − 1 are refused, never aligned", async () => {
    const { lens } = await right({ rows: 4 });
    await expect(lens.capture(request)).rejects.toMatchObject({
      code: "row_count",
      data: { expected: 5, received: 4 },
    });
    await expect(lens.capture(request)).rejects.toThrow("5 prompt + 1 generated − 1 = 5");
  });

  it("C4: names the layer and position of what is not finite", async () => {
    const { lens } = await right({ change: (values) => values.set([-Infinity], (1 * 5 + 2) * 8 + 6) });
    await expect(lens.capture(request)).rejects.toMatchObject({
      code: "non_finite",
      data: { layer: 3, position: 2, index: 6 },
    });
    await expect(lens.capture(request)).rejects.toThrow("layer 3, position 2, number 6 is -Infinity");
  });

  it("C22: refuses ids that are not those sent", async () => {
    const { lens } = await right({ promptIds: [0, 7, 9, 9] });
    await expect(lens.capture({ ...request, prompt: ids })).rejects.toMatchObject({
      code: "token_ids",
      data: { position: 2, sent: 8, ran: [9] },
    });
    const shifted = await setup((sent) =>
      rightAnswer({ ...sent, prompt: [0, ...(sent.prompt as number[])] }),
    );
    expect(await codeOf(shifted.lens.capture({ ...request, prompt: ids }))).toBe("token_ids");
  });

  it("never guesses: what the server does not tell is null and unverified", async () => {
    const silent = await right({ dropPromptLogprobs: true });
    const text = await silent.lens.capture(request);
    expect(text.tokens.map(({ id }) => id)).toEqual([null, null, null, null, null, null]);
    expect(text.checks).toContainEqual({
      code: "token_ids",
      status: "unverified",
      detail: "0 of 5 prompt token ids learnt; no tokenizer and no texts to compare them with",
    });
    const sent = await silent.lens.capture({ ...request, prompt: ids });
    expect(sent.tokens.map(({ id }) => id)).toEqual([...ids, null]);
    expect(sent.checks.find(({ code }) => code === "token_ids")?.status).toBe("unverified");

    const { lens } = await right();
    const bare = await lens.capture({ ...request, add_special_tokens: false });
    expect(bare.tokens[0]).toEqual({ id: null, text: "The", role: "prompt" });
    const unknownBos = await lens.capture({ ...request, model: "tiny-uncatalogued" });
    expect(unknownBos.tokens[0]).toEqual({ id: null, text: null, role: "prompt" });
    expect(unknownBos.checks.filter(({ status }) => status === "unverified").map(({ code }) => code)).toEqual(
      ["hidden_size", "token_ids", "double_bos"],
    );
  });

  it("C3: each of many concurrent captures holds its own prompt's rows", async () => {
    const own = (sent: CompletionRequest) => (sent.prompt as number[])[0] ?? 0;
    const { lens } = await setup((sent) =>
      rightAnswer(sent, {
        change: (values) => {
          values.fill(own(sent));
          // No two layers are one.
          values.fill(-own(sent), 0, 16);
        },
      }),
    );
    const captures = await Promise.all(
      Array.from({ length: 24 }, (_, i) => lens.capture({ ...request, prompt: [i + 1, 5] })),
    );
    captures.forEach((capture, i) =>
      expect(capture.row({ layer: 3, position: 1 })).toEqual(new Float32Array(8).fill(i + 1)),
    );
  });
});

describe("recorded answers of a real server", () => {
  const recorded = async (name: string, layers: number[], extra: object = {}) => {
    const { response_body: body, request: asked } = exchange(name);
    const { lens } = await setup(() => body, [smollm2]);
    return lens.capture({ model: "smollm2", layers, ...asked, ...extra });
  };

  it("decodes to the array that NumPy decoded", async () => {
    const bytes = readFileSync(new URL("../fixtures/short_layers_2_20.f32.bin", import.meta.url));
    const values = new Float32Array(Uint8Array.from(bytes).buffer);
    const both = await recorded("cap_20_2", [20, 2]);
    const alone = await recorded("cap_L2_max4", [2]);
    expect(both).toMatchObject({ layers: [2, 20], positions: 8, hiddenSize: 576 });
    const half = values.length / 2;
    expect(both.layer(2)).toEqual(values.slice(0, half));
    expect(both.layer(20)).toEqual(values.slice(half));
    expect(alone.layer(2)).toEqual(values.slice(0, half));
    expect(both.tokens.map(({ id }) => id)).toEqual([504, 3575, 282, 4649, 314, 7042, 30, 198, 198]);
  });

  it("learns tokens from log probabilities, and does not take the first word for a BOS", async () => {
    const { tokens } = await recorded("cap_logprobs", [2]);
    expect(tokens.map(({ text }) => text)).toEqual([
      "The",
      " capital",
      " of",
      " France",
      " is",
      " Paris",
      ".",
    ]);
    expect(tokens.map(({ id }) => id)).toEqual([504, 3575, 282, 4649, 314, 7042, 30]);
  });

  it("refuses the silently wrong ones", async () => {
    expect(await codeOf(recorded("steer_bad_hidden_575", [9, 10, 11], { max_tokens: 8 }))).toBe(
      "layer_count",
    );
    expect(await codeOf(recorded("nan_1_NaN", [10]))).toBe("non_finite");
    expect(await codeOf(recorded("dis_cap", [0]))).toBe("missing_activations");
    // Two choices or two prompts cannot be asked for; an answer that has them is refused as well.
    expect(await codeOf(recorded("cap_n2", [10]))).toBe("choices_mismatch");
    expect(await codeOf(recorded("cap_two_prompts_rev", [10], { prompt: "The capital of France is" }))).toBe(
      "choices_mismatch",
    );
  });
});

describe("generate", () => {
  const direction = [1, 2, 3, 4, 5, 6, 7, 8];

  it("sends steering as the wire wants it, beside the other fields", async () => {
    const { lens, server } = await right();
    const steering = [steeringVector({ rows: { 3: direction }, scale: 4, normMatch: true })];
    const completion = await lens.generate({
      model: "tiny",
      prompt: "The sky",
      max_tokens: 2,
      temperature: 0,
      stop: ["."],
      steering,
    });
    expect(completion.choices[0]?.text).toBe(" g0 g1");
    const [sent] = server.requests;
    expect(Object.keys(sent ?? {}).sort()).toEqual([
      "apply_steering_vectors",
      "max_tokens",
      "model",
      "prompt",
      "stop",
      "temperature",
    ]);
    expect(sent?.apply_steering_vectors).toMatchObject([
      { layer_indices: [3], scale: 4, norm_match: true, activations: { shape: [1, 8] } },
    ]);
    await lens.generate({ prompt: "The sky", max_tokens: 2 });
    expect(server.requests[1]).toEqual({ model: "tiny", prompt: "The sky", max_tokens: 2 });
  });

  it("refuses before sending", async () => {
    const { lens, server } = await right();
    const refused = (fields: object) =>
      codeOf(lens.generate({ model: "tiny", prompt: ids, max_tokens: 2, ...fields }));
    const steer = (options: object) => ({
      steering: [steeringVector({ rows: { 1: direction }, ...options })],
    });
    for (const fields of [
      { n: 0 },
      { prompt: [] },
      { output_residual_stream: [1] },
      { apply_steering_vectors: [] },
      { temperature: -1 },
      { maxTokens: 3 },
      { prompt: [900] },
    ]) {
      expect(await refused(fields), JSON.stringify(fields)).toBe("invalid_request");
    }
    expect(await refused(steer({ rows: { 1: [1, 2] } }))).toBe("steering_width");
    expect(await refused(steer({ rows: { 5: direction } }))).toBe("steering_layer");
    expect(await refused(steer({ positions: [5] }))).toBe("steering_positions");
    expect(await refused(steer({ positions: [4] }))).toBe("taken");
    expect(server.requests).toHaveLength(1);
  });

  it("holds a vector to the width that a capture showed where the catalogue states none", async () => {
    const { lens } = await right();
    const narrow = {
      model: "tiny-uncatalogued",
      prompt: ids,
      max_tokens: 1,
      steering: [steeringVector({ rows: { 1: [1, 2] } })],
    };
    expect(await codeOf(lens.generate(narrow))).toBe("taken");
    await lens.capture({ model: "tiny-uncatalogued", prompt: ids, layers: [1] });
    expect(await codeOf(lens.generate(narrow))).toBe("steering_width");
  });

  it("captures the steered stream in one request", async () => {
    const { lens, server } = await right();
    await lens.capture({ ...request, steering: [steeringVector({ rows: { 1: direction } })] });
    expect(server.requests[0]).toMatchObject({
      output_residual_stream: [1, 3],
      apply_steering_vectors: [{ layer_indices: [1] }],
    });
  });
});

it("describe passes through, and a signal ends a capture", async () => {
  const { lens } = await right();
  expect((await lens.describe("tiny")).hiddenSize).toEqual({ value: 8, source: "catalogue" });
  expect(await codeOf(lens.capture(request, { signal: AbortSignal.abort() }))).toBe("aborted");
});
