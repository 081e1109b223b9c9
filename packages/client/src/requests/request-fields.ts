import * as z from "zod";

/** A request field of POST /completions: what it may be, in words for errors and docs, and where that is said. */
export interface RequestField {
  schema: z.ZodType;
  allowed: string;
  source: string;
}

const tokenIds = z.array(z.int().nonnegative()).min(1);
const layerList = z.array(z.int().nonnegative()).min(1).refine(eachOnce, "each layer once");
const penalty = z.number().min(-2).max(2);

/** A tensor as the wire carries it: base64 of C-order, little-endian bytes. */
const wireTensor = z.strictObject({
  data: z.string(),
  dtype: z.string(),
  original_dtype: z.string().optional(),
  shape: z.array(z.int().nonnegative()),
  compression: z.string().optional(),
});

const wireSteeringVector = z.strictObject({
  activations: wireTensor,
  layer_indices: z.array(z.int().nonnegative()).min(1),
  scale: z.number().optional(),
  norm_match: z.boolean().optional(),
  position_indices: z.array(z.int().nonnegative()).min(1).nullable().optional(),
});

const completions = "Sample continuations (POST /v1/completions)";
const job = "Create Completion Job";

const shapeOf = {
  model: z.string().min(1),
  prompt: z.union([z.string(), z.array(z.string()).min(1), tokenIds, z.array(tokenIds).min(1)]),
  max_tokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(100).optional(),
  n: z.int().min(1).optional(),
  echo: z.boolean().optional(),
  logprobs: z.int().min(0).max(100).optional(),
  prompt_logprobs: z.int().min(-1).max(100).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  top_k: z.int().min(-1).optional(),
  min_p: z.number().min(0).max(1).optional(),
  presence_penalty: penalty.optional(),
  frequency_penalty: penalty.optional(),
  repetition_penalty: z.number().gt(0).optional(),
  seed: z.int().min(0).optional(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
  priority: z.int().min(0).optional(),
  user: z.string().optional(),
  add_special_tokens: z.boolean().optional(),
  output_residual_stream: z.union([z.boolean(), layerList]).optional(),
  apply_steering_vectors: z.array(wireSteeringVector).min(1).max(8).optional(),
};

const described: Record<keyof typeof shapeOf, [allowed: string, source: string]> = {
  model: ["an id from GET /models, such as llama-8b", job],
  prompt: ["a text, a list of texts, a list of token ids, or a list of such lists; none empty", job],
  max_tokens: ["an integer from 1", completions],
  temperature: ["a number from 0 to 100", completions],
  n: ["an integer from 1", completions],
  echo: ["true or false", job],
  logprobs: ["an integer from 0 to 100", job],
  prompt_logprobs: ["an integer from 0 to 100, or -1 for the whole vocabulary", job],
  top_p: ["a number over 0, at most 1", job],
  top_k: ["an integer from 1, or 0 or -1 for all", job],
  min_p: ["a number from 0 to 1", job],
  presence_penalty: ["a number from -2 to 2", job],
  frequency_penalty: ["a number from -2 to 2", job],
  repetition_penalty: ["a number over 0", job],
  seed: ["an integer from 0", completions],
  stop: ["a text or a list of at most 4 texts; none empty", job],
  stream: ["true or false", completions],
  stream_options: ["{ include_usage: true or false }, only with stream: true", completions],
  priority: ["an integer from 0; a lower one runs first", job],
  user: ["a text", job],
  add_special_tokens: ["true or false", job],
  output_residual_stream: ["true, false, or a list of layers from 0, each once", job],
  apply_steering_vectors: ["a list of 1 to 8 steering vectors", job],
};

export const completionRequestSchema = z.strictObject(shapeOf).partial({ model: true });

/** Every field that a completion request may have, in the order of the API's own page. */
export const completionFields: Readonly<Record<string, RequestField>> = Object.fromEntries(
  Object.entries(shapeOf).map(([name, schema]) => {
    const [allowed, source] = described[name as keyof typeof shapeOf];
    return [name, { schema, allowed, source }];
  }),
);

/** Fields that people send and this API refuses, and what to do instead. */
export const completionHints: Readonly<Record<string, string>> = {
  extra_body:
    "put its fields at the top level: extra_body belongs to the openai SDK and is refused by the API",
  best_of: "the API has no best_of; ask for n choices and choose among them",
  suffix: "the API has no suffix",
  logit_bias: "the API has no logit_bias",
  vllm_xargs:
    "with this profile capture and steering are top-level fields: output_residual_stream, apply_steering_vectors",
};

function eachOnce(list: readonly number[]): boolean {
  return new Set(list).size === list.length;
}
