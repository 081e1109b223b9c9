import { z } from "zod";
import { refuseLongLists } from "@residua/engine/api";
import { integerMark, validationError } from "./pydantic-issues.ts";

const integer = z.int(integerMark);
const number = z.number();
const text = z.string();
const flag = z.boolean();
const tokenIds = z.array(integer.min(0));

const xargScalars = [text, integer, number] as const;
const xargForms = z.union([...xargScalars, z.array(z.union(xargScalars))]);
const { anyOf: xargSchemas } = z.toJSONSchema(xargForms);
/** Python counts true as 1; the document says so too. */
const xargValue = z
  .preprocess((value) => (typeof value === "boolean" ? Number(value) : value), xargForms)
  .meta({ anyOf: [{ type: "boolean" }, ...xargSchemas!] });

/** Fields of both routes. What they mean together is checked later: here is only their form. */
const commonFields = {
  model: text.nullish(),
  n: integer.nullish(),
  temperature: number.nullish(),
  top_p: number.nullish(),
  top_k: integer.nullish(),
  min_p: number.nullish(),
  presence_penalty: number.nullish(),
  frequency_penalty: number.nullish(),
  repetition_penalty: number.nullish(),
  seed: integer.nullish(),
  stop: z.union([text, z.array(text)]).nullish(),
  stop_token_ids: tokenIds.nullish(),
  allowed_token_ids: tokenIds.nullish(),
  include_stop_str_in_output: flag.nullish(),
  ignore_eos: flag.nullish(),
  max_tokens: integer.nullish(),
  min_tokens: integer.nullish(),
  logit_bias: z.record(text, number).nullish(),
  prompt_logprobs: integer.nullish(),
  stream: flag.nullish(),
  stream_options: z
    .looseObject({ include_usage: flag.nullish(), continuous_usage_stats: flag.nullish() })
    .nullish(),
  stream_interval: integer.min(1).nullish(),
  add_special_tokens: flag.nullish(),
  priority: integer.nullish(),
  request_id: text.max(128).nullish(),
  cache_salt: text.nullish(),
  return_token_ids: flag.nullish(),
  return_tokens_as_token_ids: flag.nullish(),
  vllm_xargs: z.record(text, xargValue).nullish(),
};

/** The body of POST /v1/completions. */
export const completionRequestSchema = z.looseObject({
  ...commonFields,
  prompt: z.union([tokenIds, z.array(tokenIds), text, z.array(text)]).nullish(),
  echo: flag.nullish(),
  logprobs: integer.nullish(),
});

const contentPart = z.looseObject({ type: text, text: text.nullish() });

/** Fields that make a conversation; POST /tokenize takes them too. */
const conversationFields = {
  messages: z.array(z.looseObject({ role: text, content: z.union([text, z.array(contentPart)]).nullish() })),
  add_generation_prompt: flag.nullish(),
  continue_final_message: flag.nullish(),
  chat_template_kwargs: z.record(text, z.unknown()).nullish(),
};

/** The body of POST /v1/chat/completions. */
export const chatRequestSchema = z.looseObject({
  ...commonFields,
  ...conversationFields,
  max_completion_tokens: integer.nullish(),
  logprobs: flag.nullish(),
  top_logprobs: integer.nullish(),
});

const tokenizeFields = {
  model: text.nullish(),
  add_special_tokens: flag.nullish(),
  return_token_strs: flag.nullish(),
};

/** The body of POST /tokenize in its two forms. */
export const tokenizeTextSchema = z.looseObject({ ...tokenizeFields, prompt: text });
export const tokenizeChatSchema = z.looseObject({ ...tokenizeFields, ...conversationFields });

/** The body of POST /detokenize. */
export const detokenizeRequestSchema = z.looseObject({ model: text.nullish(), tokens: tokenIds });

export type CompletionRequest = z.infer<typeof completionRequestSchema>;
export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type Conversation = Pick<ChatRequest, keyof typeof conversationFields>;
export type SamplingRequest = Pick<ChatRequest, keyof typeof commonFields>;
export type Xargs = NonNullable<ChatRequest["vllm_xargs"]>;

/** Checks each field by itself, after the length of its lists. Throws ApiError 400 in the words of vLLM's server. */
export function parseRequest<T>(
  schema: z.ZodType<T>,
  body: unknown,
  bound: (body: unknown) => void = refuseLongLists,
): T {
  bound(body);
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw validationError(parsed.error.issues, body);
}
