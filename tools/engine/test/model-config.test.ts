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

describe("refused", () => {
  test.each([
    ["unsupported_model", 'model_type is "gpt2"', { model_type: "gpt2" }],
    ["unsupported_model", 'hidden_act is "gelu"', { hidden_act: "gelu" }],
    ["unsupported_model", "biases", { attention_bias: true }],
    ["unsupported_model", "biases", { mlp_bias: true }],
    ["unsupported_model", "scaled (llama3)", { rope_scaling: { rope_type: "llama3", factor: 8 } }],
    ["unsupported_model", "scaled (linear)", { rope_scaling: { type: "linear", factor: 2 } }],
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
  expect(() => checkModelSize(large)).toThrow(
    "1235746816 matrix parameters × 4 bytes × 2 copies + 0.25 GiB workspace = 9.46 GiB, over the 4.00 GiB",
  );
  const tiny = parseModelConfig(llama);
  expect(() => checkModelSize(tiny)).not.toThrow();
});
