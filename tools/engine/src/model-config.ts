import { z } from "zod";
import { ModelFolderError } from "./engine-error.ts";

const size = z.number().int().positive().max(1_000_000);
const tokenId = z.number().int().nonnegative();
const ropeSchema = z.looseObject({
  rope_type: z.string().optional(),
  type: z.string().optional(),
  rope_theta: z.number().positive().optional(),
});

const configSchema = z.looseObject({
  model_type: z.string(),
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  vocab_size: size,
  max_position_embeddings: size,
  rms_norm_eps: z.number().positive(),
  rope_theta: z.number().positive().nullish(),
  rope_parameters: ropeSchema.nullish(),
  rope_scaling: ropeSchema.nullish(),
  hidden_act: z.string().default("silu"),
  attention_bias: z.boolean().nullish(),
  mlp_bias: z.boolean().nullish(),
  tie_word_embeddings: z.boolean().default(false),
  bos_token_id: tokenId.nullish(),
  eos_token_id: z.union([tokenId, z.array(tokenId)]).nullish(),
  quantization_config: z.unknown().optional(),
});

/** The numbers of a Llama-architecture model, from `config.json`. */
export interface ModelConfig {
  readonly name: string | null;
  readonly hiddenSize: number;
  readonly feedForwardSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly vocabSize: number;
  readonly contextLength: number;
  readonly normEpsilon: number;
  readonly ropeTheta: number;
  readonly tiedEmbeddings: boolean;
  readonly bosTokenId: number | null;
  readonly eosTokenIds: readonly number[];
}

/**
 * Reads the JSON of a Hugging Face `config.json`. Only the plain Llama architecture is taken: RMSNorm,
 * rotary positions without scaling, grouped-query attention, SwiGLU, no biases.
 * Throws ModelFolderError, code `config_invalid` or `unsupported_model`.
 */
export function parseModelConfig(json: unknown): ModelConfig {
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "it"}: ${issue.message}`);
    throw new ModelFolderError(
      "config_invalid",
      `config.json is not that of a Llama model: ${problems.join("; ")}`,
      {
        problems,
      },
    );
  }
  const config = parsed.data;
  const rope = config.rope_parameters ?? config.rope_scaling ?? {};
  const ropeType = rope.rope_type ?? rope.type ?? "default";
  const reasons = [
    [config.model_type !== "llama", `model_type is ${JSON.stringify(config.model_type)}`],
    [config.hidden_act !== "silu", `hidden_act is ${JSON.stringify(config.hidden_act)}`],
    [config.attention_bias === true || config.mlp_bias === true, "its linear layers have biases"],
    [ropeType !== "default", `its rotary positions are scaled (${ropeType})`],
    [config.quantization_config != null, "its weights are quantised"],
  ] as const;
  const reason = reasons.find(([applies]) => applies);
  if (reason !== undefined) {
    throw new ModelFolderError(
      "unsupported_model",
      `this model cannot be run: ${reason[1]}. The engine runs plain Llama models in float32, float16 or bfloat16 (model_type "llama", SiLU, no biases, default rotary positions)`,
      { reason: reason[1] },
    );
  }
  const heads = config.num_attention_heads;
  const keyValueHeads = config.num_key_value_heads ?? heads;
  const headSize = config.head_dim ?? config.hidden_size / heads;
  if (heads % keyValueHeads !== 0 || !Number.isInteger(headSize) || headSize % 2 !== 0) {
    throw new ModelFolderError(
      "config_invalid",
      `config.json contradicts itself: ${heads} heads, ${keyValueHeads} key-value heads, head size ${headSize}`,
      { heads, keyValueHeads, headSize },
    );
  }
  return Object.freeze({
    name:
      typeof config["_name_or_path"] === "string" && config["_name_or_path"] !== ""
        ? config["_name_or_path"]
        : null,
    hiddenSize: config.hidden_size,
    feedForwardSize: config.intermediate_size,
    layers: config.num_hidden_layers,
    heads,
    keyValueHeads,
    headSize,
    vocabSize: config.vocab_size,
    contextLength: config.max_position_embeddings,
    normEpsilon: config.rms_norm_eps,
    ropeTheta: rope.rope_theta ?? config.rope_theta ?? 10_000,
    tiedEmbeddings: config.tie_word_embeddings,
    bosTokenId: config.bos_token_id ?? null,
    eosTokenIds: Object.freeze([config.eos_token_id ?? []].flat()),
  });
}
