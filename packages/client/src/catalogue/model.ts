import * as z from "zod";

/** A field of another type than we know counts as not stated. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);
const amount = maybe(z.int().positive());
const amountOrNone = maybe(z.int().nonnegative());
const flag = maybe(z.boolean());

/** Capabilities are read leniently: a missing or odd one counts as not stated, and unknown ones pass through. */
const capabilities = z.looseObject({
  /** Most tokens, prompt and generated together. */
  max_model_len: amount,
  /** Decoder blocks. */
  n_layers: amount,
  /** Width of the residual stream. */
  hidden_size: amount,
  vocab_size: amount,
  bos_token_id: amountOrNone,
  max_logprobs: amountOrNone,
  /** Most prompts × n × max_tokens of one request. */
  max_output_work_tokens: amount,
  /** Requests of one key at one time: running, and waiting behind those. */
  max_inflight_per_key: amount,
  max_queued_per_key: amountOrNone,
  rate_limit_per_minute: amount,
  logprobs: flag,
  prompt_logprobs: flag,
  prompt_logprobs_full_vocab: flag,
  full_vocab_max_prompt_tokens: amount,
  /** Whether the residual stream can be captured and steered. */
  activations: flag,
  max_steering_vectors: amountOrNone,
  max_activation_prompt_tokens: amount,
});

const modelSchema = z.looseObject({
  id: z.string(),
  object: maybe(z.string()),
  created: maybe(z.number()),
  owned_by: maybe(z.string()),
  /** The checkpoint, as the answers of the hosted API name it. */
  served_model_name: maybe(z.string()),
  status: maybe(z.string()),
  gpu_shape: maybe(z.string()),
  capabilities: maybe(capabilities),
  /** vLLM: the checkpoint's path or name, the base model of an adapter, and the most tokens of a base model. */
  root: maybe(z.string()),
  parent: maybe(z.string()),
  max_model_len: amount,
});

export const modelListSchema = z.looseObject({ data: z.array(modelSchema) });

/** One entry of GET /models, from the hosted API or (a model card) from vLLM. */
export type Model = z.output<typeof modelSchema>;
