import { z } from "zod";

const whole = z.number().int();

const chatLogprobSchema = z.strictObject({
  token: z.string(),
  logprob: z.number().min(-9999),
  bytes: z.array(whole.min(0).max(255)),
});

const choiceSchema = z.strictObject({
  index: whole,
  text: z.string(),
  finish_reason: z.enum(["stop", "length"]),
  logprobs: z
    .strictObject({
      content: z.array(chatLogprobSchema.extend({ top_logprobs: z.array(chatLogprobSchema) })),
    })
    .nullable(),
});

const usageSchema = z.strictObject({
  prompt_tokens: whole,
  completion_tokens: whole,
  total_tokens: whole,
});

/** The answer of POST /v1/completions. */
export const octoaiCompletionSchema = z.strictObject({
  id: z.string().regex(/^cmpl-[0-9a-f]{16}$/),
  object: z.literal("text_completion"),
  created: whole,
  model: z.string(),
  system_fingerprint: z.string().regex(/^fp_[0-9a-f]{10}$/),
  choices: z.array(choiceSchema),
  usage: usageSchema,
});

/** The data of an event in a stream. */
export const octoaiChunkSchema = octoaiCompletionSchema.extend({
  choices: z
    .array(choiceSchema.extend({ finish_reason: choiceSchema.shape.finish_reason.nullable() }))
    .length(1),
  usage: usageSchema.optional(),
});

export const validationErrorSchema = z.strictObject({
  detail: z.array(
    z.strictObject({ loc: z.array(z.union([z.string(), whole])), msg: z.string(), type: z.string() }),
  ),
});

export const octoaiErrorSchema = z.strictObject({
  object: z.literal("error"),
  message: z.string(),
  type: z.string(),
  code: z.string(),
  param: z.string().nullable(),
});

export const octoaiHealthSchema = z.strictObject({ status: z.literal("ok") });

export const octoaiModelListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.strictObject({ id: z.string(), object: z.literal("model"), created: whole, owned_by: z.string() }),
  ),
});
