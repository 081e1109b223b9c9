import { decodeTensor } from "./tensor-formats.ts";
import { ModelFolderError } from "./engine-error.ts";
import type { GgufFile } from "./gguf-file.ts";
import { parseModelConfig, unsupportedModel, type ModelConfig } from "./model-config.ts";

/** GGUF's names of the parts of a decoder block, by those of transformers. */
const blockParts: Readonly<Record<string, string>> = {
  input_layernorm: "attn_norm",
  "self_attn.q_proj": "attn_q",
  "self_attn.k_proj": "attn_k",
  "self_attn.v_proj": "attn_v",
  "self_attn.o_proj": "attn_output",
  post_attention_layernorm: "ffn_norm",
  "mlp.gate_proj": "ffn_gate",
  "mlp.up_proj": "ffn_up",
  "mlp.down_proj": "ffn_down",
};

/** Metadata that changes the computation in a way that is not offered. */
const unknownScales = ["attention.scale", "logit_scale", "embedding_scale", "residual_scale"];

/** GGUF's name of a tensor, such as `blk.0.attn_q.weight`, by its name in a Hugging Face folder. */
export function ggufTensorName(name: string): string {
  const block = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name);
  if (block !== null) return `blk.${block[1]}.${blockParts[block[2]!]}.${block[3]}`;
  return (
    { "model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight" }[name] ??
    "output.weight"
  );
}

/**
 * The numbers of a model from the metadata and the tensor list of a GGUF file of the architecture "llama" (which
 * Mistral uses too) or "qwen2". A tensor that these do not have is refused: it would be left out of the computation.
 * Throws ModelFolderError, `config_invalid`, `unsupported_model` or `weights_invalid`.
 */
export async function readGgufConfig(gguf: GgufFile): Promise<ModelConfig> {
  const { file, metadata, tensors } = gguf;
  const architecture = metadata.get("general.architecture");
  const own = (key: string) => metadata.get(`${String(architecture)}.${key}`);
  if (architecture !== "llama" && architecture !== "qwen2") {
    throw unsupportedModel(`its architecture is ${JSON.stringify(String(architecture))}`);
  }
  const context = own("context_length");
  const heads = own("attention.head_count");
  const headSize = own("attention.key_length") ?? Number(own("embedding_length")) / Number(heads);
  const window = own("attention.sliding_window");
  const scaling = own("rope.scaling.type") ?? "none";
  const scale = unknownScales.find((key) => own(key) !== undefined);
  const reasons = [
    [Number(metadata.get("split.count") ?? 1) > 1, "it is one part of a split file; merge the parts first"],
    [Number(own("expert_count") ?? 0) > 0, "it is a mixture of experts"],
    [own("attention.causal") === false, "its attention is not causal"],
    [
      Number(window ?? 0) > 0 && Number(window) < Number(context),
      `its sliding window of ${String(window)} tokens is smaller than its context, ${String(context)}`,
    ],
    [(own("attention.value_length") ?? headSize) !== headSize, "its values and keys differ in size"],
    [scale !== undefined, `it has ${architecture}.${scale}`],
    [scaling === "linear" && tensors.has("rope_freqs.weight"), "its rotary positions are scaled twice"],
  ] as const;
  const reason = reasons.find(([applies]) => applies);
  if (reason !== undefined) throw unsupportedModel(reason[1]);
  const tokenIds = (...keys: string[]) =>
    keys.flatMap((key) => metadata.get(`tokenizer.ggml.${key}_token_id`) ?? []);
  const config = parseModelConfig(
    {
      _name_or_path: metadata.get("general.name"),
      model_type: architecture,
      hidden_size: own("embedding_length"),
      intermediate_size: own("feed_forward_length"),
      num_hidden_layers: own("block_count"),
      num_attention_heads: heads,
      num_key_value_heads: own("attention.head_count_kv") ?? heads,
      head_dim: headSize,
      vocab_size: tensors.get("token_embd.weight")?.shape[0],
      max_position_embeddings: context,
      rms_norm_eps: own("attention.layer_norm_rms_epsilon"),
      rope_parameters: {
        rope_type: scaling === "none" ? "default" : scaling,
        rope_theta: own("rope.freq_base"),
        factor: own("rope.scaling.factor"),
        partial_rotary_factor: Number(own("rope.dimension_count") ?? headSize) / Number(headSize),
      },
      tie_word_embeddings: !tensors.has("output.weight"),
      bos_token_id: tokenIds("bos")[0],
      eos_token_id: [...new Set(tokenIds("eos", "eot"))],
    },
    `the metadata of ${file}`,
  );
  checkTensors(gguf, config, architecture === "llama");
  const names = [...tensors.keys()];
  return Object.freeze({
    ...config,
    // Where one layer has a bias all must: a missing one is then refused when it is read.
    queryKeyValueBias: names.some((name) => /\.attn_[qkv]\.bias$/.test(name)),
    attentionOutBias: names.some((name) => name.endsWith(".attn_output.bias")),
    ropeScaling: tensors.has("rope_freqs.weight") ? await readDivisors(gguf, config) : config.ropeScaling,
  });
}

/** llama.cpp stores llama3 scaling as a tensor of divisors. */
async function readDivisors(gguf: GgufFile, { headSize }: ModelConfig): Promise<ModelConfig["ropeScaling"]> {
  const { format, shape } = gguf.tensors.get("rope_freqs.weight")!;
  if (shape.join() === String(headSize / 2)) {
    const divisors = decodeTensor(await gguf.read("rope_freqs.weight"), format);
    if (divisors.every((divisor) => divisor > 0 && Number.isFinite(divisor)))
      return { type: "divisors", divisors };
  }
  throw new ModelFolderError(
    "weights_invalid",
    `${gguf.file}: rope_freqs.weight is not ${headSize / 2} positive divisors`,
  );
}

function checkTensors({ tensors }: GgufFile, config: ModelConfig, ropeDivisors: boolean): void {
  const known = new Set(["token_embd.weight", "output_norm.weight", "output.weight"]);
  if (ropeDivisors) known.add("rope_freqs.weight");
  for (const name of tensors.keys()) {
    const [, layer, part] =
      /^blk\.(\d+)\.((?:attn|ffn)_\w+\.weight|attn_(?:q|k|v|output)\.bias)$/.exec(name) ?? [];
    const fits =
      part !== undefined &&
      Number(layer) < config.layers &&
      Object.values(blockParts).includes(part.slice(0, part.indexOf(".")));
    if (!fits && !known.has(name)) throw unsupportedModel(`it has a tensor ${JSON.stringify(name)}`);
  }
}
