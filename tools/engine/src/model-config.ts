import { z } from "zod";
import { ModelFolderError } from "./engine-error.ts";
import { isRopeType, parseRopeScaling, ropeTypeOf, type RopeScaling } from "./rope-scaling.ts";

const size = z.number().int().positive().max(1_000_000);
const tokenId = z.number().int().nonnegative();
const ropeSchema = z.looseObject({
  rope_type: z.string().optional(),
  type: z.string().optional(),
  rope_theta: z.number().positive().optional(),
  partial_rotary_factor: z.number().optional(),
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
  sliding_window: size.nullish(),
  use_sliding_window: z.boolean().nullish(),
  layer_types: z.array(z.string()).nullish(),
  tie_word_embeddings: z.boolean().default(false),
  bos_token_id: tokenId.nullish(),
  eos_token_id: z.union([tokenId, z.array(tokenId)]).nullish(),
  quantization_config: z.unknown().optional(),
});

/**
 * What transformers assumes where a family's config.json is silent, and its biases: those of the query, key and
 * value projections, and that of the attention's output.
 */
const families: Readonly<
  Record<string, { keyValueHeads?: number; slidingWindow?: number; biases?: readonly [boolean, boolean] }>
> = {
  llama: {},
  mistral: { keyValueHeads: 8, slidingWindow: 4096, biases: [false, false] },
  qwen2: { keyValueHeads: 32, biases: [true, false] },
};

/** The numbers of a Llama-like model, from `config.json` or the metadata of a GGUF file. */
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
  readonly ropeScaling: RopeScaling | null;
  /** The query, key and value projections have biases. */
  readonly queryKeyValueBias: boolean;
  /** The output projection of the attention has a bias. */
  readonly attentionOutBias: boolean;
  readonly tiedEmbeddings: boolean;
  readonly bosTokenId: number | null;
  readonly eosTokenIds: readonly number[];
}

/**
 * Reads the JSON of a Hugging Face `config.json`; `source` names it in messages. Taken are the families Llama,
 * Mistral without a sliding window, and Qwen2: RMSNorm, rotary positions (default, linear or llama3),
 * grouped-query attention with or without biases, SwiGLU.
 * Throws ModelFolderError, code `config_invalid` or `unsupported_model`.
 */
export function parseModelConfig(json: unknown, source = "config.json"): ModelConfig {
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "it"}: ${issue.message}`);
    throw new ModelFolderError(
      "config_invalid",
      `${source} is not that of a Llama model: ${problems.join("; ")}`,
      { problems },
    );
  }
  const config = parsed.data;
  const reason = unsupported(config);
  if (reason !== null) throw unsupportedModel(reason);
  const { keyValueHeads: usual, biases } = families[config.model_type]!;
  const heads = config.num_attention_heads;
  const keyValueHeads = config.num_key_value_heads ?? usual ?? heads;
  const headSize = config.head_dim ?? config.hidden_size / heads;
  if (heads % keyValueHeads !== 0 || !Number.isInteger(headSize) || headSize % 2 !== 0) {
    throw new ModelFolderError(
      "config_invalid",
      `${source} contradicts itself: ${heads} heads, ${keyValueHeads} key-value heads, head size ${headSize}`,
      { heads, keyValueHeads, headSize },
    );
  }
  const rope = ropeOf(config);
  const attentionBias = config.attention_bias === true;
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
    ropeScaling: parseRopeScaling(rope, config.max_position_embeddings, source),
    queryKeyValueBias: biases?.[0] ?? attentionBias,
    attentionOutBias: biases?.[1] ?? attentionBias,
    tiedEmbeddings: config.tie_word_embeddings,
    bosTokenId: config.bos_token_id ?? null,
    eosTokenIds: Object.freeze([config.eos_token_id ?? []].flat()),
  });
}

/** The error for a model that the engine does not run. */
export function unsupportedModel(reason: string): ModelFolderError {
  return new ModelFolderError(
    "unsupported_model",
    `this model cannot be run: ${reason}. The engine runs Llama, Mistral without a sliding window and Qwen2 (model_type "llama", "mistral" or "qwen2", SiLU, no biases in the feed-forward layers, rotary positions "default", "linear" or "llama3")`,
    { reason },
  );
}

type Config = z.infer<typeof configSchema>;

const ropeOf = (config: Config) => config.rope_parameters ?? config.rope_scaling ?? {};

/** Why a model cannot be run, or null. */
function unsupported(config: Config): string | null {
  const { model_type: type, max_position_embeddings: context } = config;
  if (!Object.hasOwn(families, type)) return `model_type is ${JSON.stringify(type)}`;
  const rope = ropeOf(config);
  const ropeType = ropeTypeOf(rope);
  // Only Mistral's window acts by itself; Qwen2 names one that is switched off.
  const window =
    type === "mistral" && config.sliding_window === undefined
      ? families[type]!.slidingWindow
      : config.sliding_window;
  const reasons = [
    [config.hidden_act !== "silu", `hidden_act is ${JSON.stringify(config.hidden_act)}`],
    [config.mlp_bias === true, "its feed-forward layers have biases"],
    [!isRopeType(ropeType), `its rotary positions are scaled (${ropeType})`],
    [(rope.partial_rotary_factor ?? 1) !== 1, "only a part of each head is rotated"],
    [config.quantization_config != null, "its weights are quantised"],
    [config.use_sliding_window === true, "use_sliding_window is true"],
    [
      config.layer_types?.some((kind) => kind !== "full_attention") === true,
      "layer_types are not all full_attention",
    ],
    [
      type === "mistral" && window != null && window < context,
      `its sliding window of ${window} tokens${config.sliding_window === undefined ? " (Mistral's, where config.json is silent)" : ""} is smaller than max_position_embeddings, ${context}`,
    ],
  ] as const;
  return reasons.find(([applies]) => applies)?.[1] ?? null;
}
