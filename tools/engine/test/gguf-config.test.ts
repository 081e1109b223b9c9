import { beforeAll, describe, expect, test } from "vitest";
import { ggufTensorName, readGgufConfig } from "../src/gguf-config.ts";
import { openGguf, type GgufFile } from "../src/gguf-file.ts";
import { matrixParameters } from "../src/weights.ts";
import { ggufModel } from "./support.ts";

let llama: GgufFile;
let qwen2: GgufFile;
beforeAll(async () => {
  [llama, qwen2] = await Promise.all([openGguf(ggufModel("llama")), openGguf(ggufModel("qwen2"))]);
  return () => Promise.all([llama.close(), qwen2.close()]);
});

/** A file with other metadata; undefined takes a key away. */
function changed(gguf: GgufFile, change: Record<string, unknown>): GgufFile {
  const metadata = new Map<string, unknown>(gguf.metadata);
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) metadata.delete(key);
    else metadata.set(key, value);
  }
  return { ...gguf, metadata: metadata as GgufFile["metadata"] };
}

test("the numbers of a Llama and of a Qwen2", async () => {
  expect(await readGgufConfig(llama)).toMatchObject({
    name: "random llama",
    hiddenSize: 64,
    feedForwardSize: 96,
    layers: 3,
    heads: 4,
    keyValueHeads: 2,
    headSize: 24,
    vocabSize: 900,
    contextLength: 256,
    normEpsilon: Math.fround(1e-5),
    ropeTheta: 5000,
    ropeScaling: { type: "divisors" },
    queryKeyValueBias: false,
    attentionOutBias: false,
    tiedEmbeddings: false,
    bosTokenId: 0,
    eosTokenIds: [1],
  });
  expect(await readGgufConfig(qwen2)).toMatchObject({
    headSize: 16,
    vocabSize: 60,
    ropeScaling: null,
    queryKeyValueBias: true,
    attentionOutBias: false,
    tiedEmbeddings: true,
    bosTokenId: null,
    eosTokenIds: [],
  });
});

test("the end of a turn ends a text too; linear scaling is taken", async () => {
  const change = { "tokenizer.ggml.eot_token_id": 5, "tokenizer.ggml.eos_token_id": 4 };
  const scaling = { "qwen2.rope.scaling.type": "linear", "qwen2.rope.scaling.factor": 4 };
  expect(await readGgufConfig(changed(qwen2, { ...change, ...scaling }))).toMatchObject({
    eosTokenIds: [4, 5],
    ropeScaling: { type: "linear", factor: 4 },
  });
});

test.each([
  ["blk.2.attn_k.bias", [true, false]],
  ["blk.1.attn_output.bias", [false, true]],
])("one bias, %s, stands for those of all layers", async (name, biases) => {
  const tensors = new Map([...llama.tensors, [name, llama.tensors.get("output_norm.weight")!]]);
  const config = await readGgufConfig({ ...llama, tensors });
  expect([config.queryKeyValueBias, config.attentionOutBias]).toEqual(biases);
});

test("memory is counted for the float32 values that the blocks become", async () => {
  // 3 × (64 × 24 × (2 × 4 + 2 × 2) + 3 × 64 × 96) + 64 × 900
  expect(matrixParameters(await readGgufConfig(llama))).toBe(168_192);
});

test("names of tensors", () => {
  expect(ggufTensorName("model.layers.12.self_attn.o_proj.bias")).toBe("blk.12.attn_output.bias");
  expect(ggufTensorName("model.embed_tokens.weight")).toBe("token_embd.weight");
  expect(ggufTensorName("model.norm.weight")).toBe("output_norm.weight");
  expect(ggufTensorName("lm_head.weight")).toBe("output.weight");
});

describe("refused", () => {
  test.each([
    ["unsupported_model", 'its architecture is "gemma3"', { "general.architecture": "gemma3" }],
    ["unsupported_model", 'its architecture is "undefined"', { "general.architecture": undefined }],
    ["unsupported_model", "one part of a split file", { "split.count": 2 }],
    ["unsupported_model", "mixture of experts", { "llama.expert_count": 8 }],
    ["unsupported_model", "not causal", { "llama.attention.causal": false }],
    ["unsupported_model", "sliding window of 128 tokens", { "llama.attention.sliding_window": 128 }],
    ["unsupported_model", "differ in size", { "llama.attention.value_length": 16 }],
    ["unsupported_model", "llama.attention.scale", { "llama.attention.scale": 0.1 }],
    ["unsupported_model", "scaled twice", { "llama.rope.scaling.type": "linear" }],
    ["unsupported_model", "scaled (yarn)", { "llama.rope.scaling.type": "yarn" }],
    ["unsupported_model", "only a part of each head", { "llama.rope.dimension_count": 12 }],
    ["config_invalid", "the metadata of llama.gguf", { "llama.block_count": undefined }],
    ["config_invalid", "num_attention_heads", { "llama.attention.head_count": [4, 4, 4] }],
    ["config_invalid", "contradicts", { "llama.attention.head_count_kv": 3 }],
    ["unsupported_model", 'a tensor "blk.2.', { "llama.block_count": 2 }],
  ])("%s: %s", async (code, problem, change) => {
    const read = readGgufConfig(changed(llama, change));
    await expect(read).rejects.toMatchObject({ code });
    await expect(read).rejects.toThrow(problem);
  });

  test.each([
    "blk.0.attn_q_norm.weight",
    "blk.0.ffn_up.bias",
    "blk.0.ffn_gate_inp.weight",
    "rope_freqs.weight",
  ])("a Qwen2 with a tensor %s", async (name) => {
    const tensors = new Map([...qwen2.tensors, [name, qwen2.tensors.get("output_norm.weight")!]]);
    await expect(readGgufConfig({ ...qwen2, tensors })).rejects.toThrow(`it has a tensor "${name}"`);
  });

  test("rotary divisors of another size", async () => {
    const tensors = new Map([
      ...llama.tensors,
      ["rope_freqs.weight", llama.tensors.get("output_norm.weight")!],
    ]);
    await expect(readGgufConfig({ ...llama, tensors })).rejects.toThrow("is not 12 positive divisors");
  });
});
