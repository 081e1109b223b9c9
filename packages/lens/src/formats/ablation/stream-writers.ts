import * as z from "zod";
import { FormatError } from "../format-error.ts";
import type { StreamSide } from "./orthogonalise.ts";

const count = z.int().positive().max(1_000_000);
const configSchema = z.looseObject({
  model_type: z.enum(["llama", "mistral", "qwen2"]),
  hidden_size: count,
  num_hidden_layers: count,
  tie_word_embeddings: z.boolean().default(false),
  quantization_config: z.null().optional(),
});

/** What ablation needs of a config.json, and the whole of it. */
export interface AblationConfig {
  readonly hiddenSize: number;
  readonly layers: number;
  readonly tied: boolean;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Reads config.json. Error `format_unsupported` for a family whose writers to the stream are not known here. */
export function readAblationConfig(json: unknown): AblationConfig {
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new FormatError(
      "format_unsupported",
      `config.json: ${issue?.path.join(".") || "it"}: ${issue?.message}; models of the families llama, mistral and qwen2, not quantised, can be ablated`,
    );
  }
  const { hidden_size, num_hidden_layers, tie_word_embeddings } = parsed.data;
  return { hiddenSize: hidden_size, layers: num_hidden_layers, tied: tie_word_embeddings, json: parsed.data };
}

export const embedding = "model.embed_tokens.weight";
export const head = "lm_head.weight";

/** Parts of a layer that only read the stream, or write into an attention or feed-forward layer. */
const readers =
  /^(?:input_layernorm\.weight|post_attention_layernorm\.weight|self_attn\.[qkv]_proj\.(?:weight|bias)|self_attn\.rotary_emb\.inv_freq|mlp\.(?:gate|up)_proj\.(?:weight|bias))$/;
const writers = ["self_attn.o_proj", "mlp.down_proj"];

/** How a tensor is laid to the stream; "reads" where it writes nothing into it. */
export type StreamRole = StreamSide | "reads";

/**
 * What each tensor of the model does to the residual stream. Embedding, attention outputs and down projections of every layer
 * must be there; one that is not known is refused, since what it writes along the direction would stay.
 */
export function streamRoles(names: Iterable<string>, { layers }: AblationConfig): Map<string, StreamRole> {
  const roles = new Map<string, StreamRole>();
  for (const name of names) roles.set(name, roleOf(name, layers));
  const needed = [embedding];
  for (let layer = 0; layer < layers; layer++) {
    needed.push(...writers.map((part) => `model.layers.${layer}.${part}.weight`));
  }
  const missing = needed.find((name) => !roles.has(name));
  if (missing !== undefined) throw new FormatError("format_missing", `the weights have no tensor ${missing}`);
  return roles;
}

function roleOf(name: string, layers: number): StreamRole {
  if (name === embedding) return "columns";
  if (name === "model.norm.weight" || name === head) return "reads";
  const [, layer, part = ""] = /^model\.layers\.(\d+)\.(.+)$/.exec(name) ?? [];
  if (layer !== undefined && Number(layer) < layers) {
    if (readers.test(part)) return "reads";
    if (writers.some((writer) => part === `${writer}.weight` || part === `${writer}.bias`)) return "rows";
  }
  throw new FormatError(
    "format_unsupported",
    `the weights have the tensor ${JSON.stringify(name)}, which is not known to leave the residual stream alone; nothing was written`,
    { name },
  );
}
