import * as z from "zod";

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

/** Capabilities are read leniently: a missing or odd one counts as not stated, and unknown ones pass through. */
const capabilities = z.looseObject({
  max_model_len: maybe(z.int().positive()),
  n_layers: maybe(z.int().positive()),
  hidden_size: maybe(z.int().positive()),
  vocab_size: maybe(z.int().positive()),
  bos_token_id: maybe(z.int().nonnegative()),
  max_logprobs: maybe(z.int().nonnegative()),
  max_output_work_tokens: maybe(z.int().positive()),
  logprobs: maybe(z.boolean()),
  prompt_logprobs: maybe(z.boolean()),
  activations: maybe(z.boolean()),
  max_steering_vectors: maybe(z.int().nonnegative()),
});

const modelSchema = z.looseObject({
  id: z.string(),
  object: z.string().optional(),
  owned_by: maybe(z.string()),
  served_model_name: maybe(z.string()),
  status: maybe(z.string()),
  max_model_len: maybe(z.int().positive()),
  capabilities: maybe(capabilities),
});

export const modelListSchema = z.looseObject({ data: z.array(modelSchema) });

/** One entry of GET /models. */
export type Model = z.output<typeof modelSchema>;
