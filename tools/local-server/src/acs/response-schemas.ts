import { z } from "zod";

const whole = z.number().int();
const logprob = z.number().min(-9999);

const logprobsSchema = z.strictObject({
  text_offset: z.array(whole),
  tokens: z.array(z.string()),
  token_logprobs: z.array(logprob.nullable()),
  top_logprobs: z.array(z.record(z.string(), logprob).nullable()),
});

const finishReason = z.enum(["stop", "length"]);

export const usageSchema = z.strictObject({
  prompt_tokens: whole,
  completion_tokens: whole,
  total_tokens: whole,
});

const head = {
  id: z.string().regex(/^cmpl-[0-9a-f]{16}$/),
  object: z.literal("text_completion"),
  created: whole,
  model: z.string(),
};

const promptLogprobsSchema = z.array(
  z.record(z.string(), z.strictObject({ logprob, rank: whole.min(1), decoded_token: z.string() })).nullable(),
);

const activationsSchema = z.strictObject({
  residual_stream: z.strictObject({
    data: z.string(),
    dtype: z.literal("int16"),
    original_dtype: z.literal("torch.bfloat16"),
    shape: z.array(whole.min(1)).length(3),
    compression: z.literal("zstd"),
  }),
});

/** The answer of POST /v1/completions. */
export const completionSchema = z.strictObject({
  ...head,
  choices: z.array(
    z.strictObject({
      index: whole,
      text: z.string(),
      logprobs: logprobsSchema.nullable(),
      finish_reason: finishReason,
      stop_reason: z.string().nullable(),
      prompt_logprobs: promptLogprobsSchema.optional(),
    }),
  ),
  usage: usageSchema,
  activations: activationsSchema.optional(),
});

/** The data of an event in a stream that has the text of a choice, or with `usage` that of the last one. */
export const completionChunkSchema = z.strictObject({
  ...head,
  choices: z
    .array(
      z.strictObject({
        index: whole,
        text: z.string(),
        logprobs: logprobsSchema.nullable(),
        finish_reason: finishReason.nullable(),
      }),
    )
    .max(1),
  usage: usageSchema.optional(),
});

export const errorSchema = z.strictObject({
  error: z.strictObject({ message: z.string(), type: z.string(), code: z.string() }),
  request_id: z.string(),
});

export const healthSchema = z.strictObject({ status: z.literal("ok") });

export const modelListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.strictObject({
      id: z.string(),
      object: z.literal("model"),
      owned_by: z.string(),
      served_model_name: z.string(),
      status: z.literal("live"),
      capabilities: z.record(z.string(), z.union([z.boolean(), z.number(), z.null()])),
    }),
  ),
});

export const modelStatusSchema = z.strictObject({
  id: z.string(),
  object: z.literal("model.status"),
  warm: z.boolean(),
  boot: z.null(),
});
