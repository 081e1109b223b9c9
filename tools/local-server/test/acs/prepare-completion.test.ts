import { describe, expect, test } from "vitest";
import { rawTensor, refused as refusal, tinyConfig, vector, serve } from "../support.ts";

const layers = tinyConfig.num_hidden_layers;
const running = serve();
const refused = (body: unknown, code?: string) => refusal(running, body, code);

describe("rules between fields", () => {
  test("several prompts or n above 1 need max_tokens", async () => {
    expect(await refused({ prompt: ["a", "b"] })).toMatch(/^max_tokens: /);
    expect(await refused({ prompt: "a", n: 2, max_tokens: null })).toMatch(/^max_tokens: /);
  });

  test.each([
    ["output_residual_stream", true],
    ["output_residual_stream", [0]],
    ["apply_steering_vectors", [vector([1, 96])]],
  ])("%s takes one prompt and one choice", async (field, value) => {
    expect(await refused({ prompt: ["a", "b"], max_tokens: 1, [field]: value })).toMatch(/^prompt: /);
    expect(await refused({ prompt: "a", n: 2, max_tokens: 1, [field]: value })).toMatch(/^n: /);
  });
});

describe("steering vectors", () => {
  const bits = { dtype: "int16", original_dtype: "torch.bfloat16", shape: [1, 96] };
  test.each([
    ["wrong hidden size", /activations\.shape: ends in 95; the model's hidden size is 96/, vector([1, 95])],
    ["hidden size 1", /ends in 1;/, vector([1, 1])],
    [
      "layer out of range",
      RegExp(`layer ${layers} is out of range; layers run from 0 to ${layers - 1}`),
      vector([1, 96], { layer_indices: [layers] }),
    ],
    ["layer twice", /layer 1 is named twice/, vector([2, 96], { layer_indices: [1, 1] })],
    [
      "layer count",
      /layer_indices: 2 layers for a shape of \[1, 96\]/,
      vector([1, 96], { layer_indices: [0, 1] }),
    ],
    ["no layers", /layer_indices/, vector([1, 96], { layer_indices: [] })],
    [
      "positions with 2-D",
      /position_indices: goes with a shape of \[layers, positions, hidden\]/,
      vector([1, 96], { position_indices: [0] }),
    ],
    [
      "position count",
      /position_indices: 1 positions for a shape of \[1, 2, 96\]/,
      vector([1, 2, 96], { position_indices: [0] }),
    ],
    ["negative position", /position_indices/, vector([1, 1, 96], { position_indices: [-1] })],
    ["rank 1", /shape/, vector([96])],
    [
      "not finite",
      /not finite/,
      { activations: rawTensor([NaN, ...Array<number>(95).fill(0)], [1, 96]), layer_indices: [0] },
    ],
    [
      "infinite",
      /not finite/,
      { activations: rawTensor([-Infinity, ...Array<number>(95).fill(0)], [1, 96]), layer_indices: [0] },
    ],
    ["scale as text", /scale/, vector([1, 96], { scale: "2" })],
    ["norm_match as number", /norm_match/, vector([1, 96], { norm_match: 1 })],
    ["unknown key", /apply_steering_vectors\[0\]\.gain: unknown field/, vector([1, 96], { gain: 1 })],
    ["numbers for data", /activations/, { activations: [[0.1]], layer_indices: [0] }],
    [
      "too few bytes",
      /has 8 bytes where shape \[1, 96\] in float32 takes 384/,
      { activations: { ...rawTensor([1, 2], [1, 96]) }, layer_indices: [0] },
    ],
    [
      "not base64",
      /not base64/,
      { activations: { data: "a-_b", dtype: "float32", shape: [1, 96] }, layer_indices: [0] },
    ],
    [
      "int16 without origin",
      /original_dtype/,
      { activations: { data: "", dtype: "int16", shape: [1, 96] }, layer_indices: [0] },
    ],
    [
      "dtype bfloat16",
      /dtype/,
      { activations: { data: "", dtype: "bfloat16", shape: [1, 96] }, layer_indices: [0] },
    ],
    [
      "unknown compression",
      /compression/,
      { activations: { ...bits, data: "", compression: "gzip" }, layer_indices: [0] },
    ],
    [
      "no zstd frame",
      /is no zstd frame/,
      { activations: { ...bits, data: "AAAAAAAAAAAA", compression: "zstd" }, layer_indices: [0] },
    ],
    [
      "zstd of another size",
      /holds 12 bytes; the shape takes 192/,
      {
        activations: { ...bits, data: "KLUv/SAMYQAAgD8AwAA/UEAAAAC+", compression: "zstd" },
        layer_indices: [0],
      },
    ],
    [
      "damaged zstd",
      /damaged/,
      {
        activations: { ...bits, data: "KLUv/SDA//////////////////8=", compression: "zstd" },
        layer_indices: [0],
      },
    ],
  ])("%s", async (_, message, bad) => {
    const answer = await refused({ prompt: "a", max_tokens: 1, apply_steering_vectors: [bad] });
    expect(answer).toMatch(message);
    expect(answer).toMatch(/^apply_steering_vectors\[0\]/);
  });

  test("an infinite scale cannot be written in JSON; 1e999 reads as one and is refused", async () => {
    const body = JSON.stringify({
      model: "tiny",
      prompt: "a",
      apply_steering_vectors: [vector([1, 96], { scale: 7 })],
    });
    expect(await refused(body.replace('"scale":7', '"scale":1e999'))).toMatch(/scale/);
  });

  test("steering that breaks the scores is refused, and the next request is whole", async () => {
    const plain = { prompt: [5, 6], max_tokens: 2, temperature: 0 };
    const before = await running.complete(plain);
    const strong = {
      activations: rawTensor(Array<number>(96).fill(1e38), [1, 96]),
      layer_indices: [0],
      scale: 1e30,
    };
    expect(await refused({ ...plain, apply_steering_vectors: [strong] })).toContain("lower its scale");
    expect((await running.complete(plain)).body.choices).toEqual(before.body.choices);
  });
});
