import { backendMemory } from "../src/backend-memory.ts";
import { describe, expect, test } from "vitest";
import { ModelFolderError } from "../src/engine-error.ts";
import { parseModelConfig } from "../src/model-config.ts";
import { checkModelSize, matrixParameters } from "../src/weights.ts";

const llama = {
  model_type: "llama",
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  vocab_size: 100,
  max_position_embeddings: 256,
  rms_norm_eps: 1e-5,
};

test("an old config.json: every head its own key, rope_theta beside the rest", () => {
  expect(parseModelConfig({ ...llama, rope_theta: 500000, eos_token_id: 7, bos_token_id: 1 })).toMatchObject({
    keyValueHeads: 4,
    headSize: 16,
    ropeTheta: 500000,
    eosTokenIds: [7],
    bosTokenId: 1,
    tiedEmbeddings: false,
  });
});

test("a new one: rope_parameters, several end tokens, a head size of its own", () => {
  const config = {
    ...llama,
    num_key_value_heads: 2,
    head_dim: 24,
    eos_token_id: [2, 3],
    rope_parameters: { rope_theta: 1234, rope_type: "default" },
  };
  expect(parseModelConfig(config)).toMatchObject({
    keyValueHeads: 2,
    headSize: 24,
    ropeTheta: 1234,
    eosTokenIds: [2, 3],
    bosTokenId: null,
  });
});

describe("families", () => {
  test("Llama with attention_bias has all four biases, Qwen2 three, Mistral none", () => {
    const biases = (change: object) => {
      const config = parseModelConfig({ ...llama, num_key_value_heads: 2, ...change });
      return [config.queryKeyValueBias, config.attentionOutBias];
    };
    expect(biases({})).toEqual([false, false]);
    expect(biases({ attention_bias: true })).toEqual([true, true]);
    expect(biases({ model_type: "qwen2" })).toEqual([true, false]);
    expect(biases({ model_type: "mistral", sliding_window: null })).toEqual([false, false]);
  });

  test("a sliding window as long as the context, or switched off, is none", () => {
    const heads = { num_attention_heads: 8, num_key_value_heads: 8 };
    const accepted = [
      { model_type: "mistral", sliding_window: 256 },
      { model_type: "mistral", sliding_window: null, max_position_embeddings: 32768 },
      { model_type: "mistral", max_position_embeddings: 4096 },
      { model_type: "qwen2", sliding_window: 16, use_sliding_window: false },
    ];
    for (const change of accepted) {
      expect(parseModelConfig({ ...llama, ...heads, ...change }).layers).toBe(3);
    }
  });

  test("a silent config has the key-value heads that transformers assumes", () => {
    const heads = { num_attention_heads: 32, head_dim: 8, sliding_window: null };
    const of = (type: string) => parseModelConfig({ ...llama, ...heads, model_type: type }).keyValueHeads;
    expect([of("llama"), of("mistral"), of("qwen2")]).toEqual([32, 8, 32]);
  });
});

describe("refused", () => {
  test.each([
    ["unsupported_model", 'model_type is "gpt2"', { model_type: "gpt2" }],
    ["unsupported_model", 'hidden_act is "gelu"', { hidden_act: "gelu" }],
    ["config_invalid", "attention_bias", { attention_bias: 1 }],
    ["unsupported_model", "biases", { mlp_bias: true }],
    ["unsupported_model", "scaled (yarn)", { rope_scaling: { rope_type: "yarn", factor: 8 } }],
    ["unsupported_model", "scaled (dynamic)", { rope_scaling: { type: "dynamic", factor: 2 } }],
    ["unsupported_model", "part of each head", { rope_parameters: { partial_rotary_factor: 0.5 } }],
    ["config_invalid", "rotary scaling in config.json", { rope_scaling: { rope_type: "llama3", factor: 8 } }],
    ["unsupported_model", "use_sliding_window", { model_type: "qwen2", use_sliding_window: true }],
    ["unsupported_model", "layer_types", { layer_types: ["full_attention", "sliding_attention"] }],
    ["unsupported_model", "window of 255 tokens is smaller", { model_type: "mistral", sliding_window: 255 }],
    [
      "unsupported_model",
      "window of 4096 tokens (Mistral's, where config.json is silent) is smaller than max_position_embeddings, 4097",
      { model_type: "mistral", max_position_embeddings: 4097 },
    ],
    ["unsupported_model", 'model_type is "constructor"', { model_type: "constructor" }],
    ["unsupported_model", "quantised", { quantization_config: { bits: 4 } }],
    ["config_invalid", "hidden_size", { hidden_size: "64" }],
    ["config_invalid", "num_hidden_layers", { num_hidden_layers: 0 }],
    ["config_invalid", "contradicts", { num_key_value_heads: 3 }],
    ["config_invalid", "contradicts", { num_attention_heads: 5 }],
    ["config_invalid", "contradicts", { head_dim: 15 }],
  ])("%s: %s", (code, problem, change) => {
    const parse = () => parseModelConfig({ ...llama, ...change });
    expect(parse).toThrow(ModelFolderError);
    expect(parse).toThrow(expect.objectContaining({ code }) as Error);
    expect(parse).toThrow(problem);
  });

  test.each([null, [], 5, {}])("%j", (json) => {
    expect(() => parseModelConfig(json)).toThrow(
      expect.objectContaining({ code: "config_invalid" }) as Error,
    );
  });
});

test("a model over the memory that WebAssembly addresses is refused with the sum", () => {
  const large = parseModelConfig({
    ...llama,
    hidden_size: 2048,
    intermediate_size: 8192,
    num_hidden_layers: 16,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    vocab_size: 128256,
  });
  // 16 × (2048 × 64 × (2 × 32 + 2 × 8) + 3 × 2048 × 8192) + 2048 × 128256
  expect(matrixParameters(large)).toBe(1_235_746_816);
  expect(() => checkModelSize(large, backendMemory("wasm"))).toThrow(
    "1235746816 matrix parameters × 4 bytes × 2 copies + 0.25 GiB workspace = 9.46 GiB, over the 4.00 GiB",
  );
  expect(() => checkModelSize(large, { copies: 1, limit: 5 * 1024 ** 3, whose: "of a test" })).not.toThrow();
  const tiny = parseModelConfig(llama);
  expect(() => checkModelSize(tiny, backendMemory("wasm"))).not.toThrow();
});

test("the largest model that fits has 503 316 480 matrix parameters; one row of embeddings more is refused", () => {
  // 24 × (1024 × 64 × (2 × 16 + 2 × 16) + 3 × 1024 × 4096) + 1024 × vocab_size
  const sized = (vocab: number) =>
    parseModelConfig({
      ...llama,
      hidden_size: 1024,
      intermediate_size: 4096,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      vocab_size: vocab,
    });
  expect(matrixParameters(sized(98_304))).toBe(503_316_480);
  expect(() => checkModelSize(sized(98_304), backendMemory("wasm"))).not.toThrow();
  expect(() => checkModelSize(sized(98_305), backendMemory("wasm"))).toThrow(
    "503317504 matrix parameters × 4 bytes × 2 copies + 0.25 GiB workspace = 4.00 GiB, over the 4.00 GiB that WebAssembly addresses; take a model of at most 503316480 matrix parameters",
  );
});
