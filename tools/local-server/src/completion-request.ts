import { z } from "zod";
import { invalidRequest } from "./api-error.ts";

const whole = z.number().int();
const tokenIds = z.array(whole.min(0)).min(1);

const tensorSchema = z.strictObject({
  data: z.string(),
  dtype: z.enum(["float32", "float16", "int16"]),
  original_dtype: z.string().nullish(),
  shape: z.array(whole.min(1)).min(2).max(3),
  compression: z.enum(["zstd"]).nullish(),
});

const steeringSchema = z.strictObject({
  activations: tensorSchema,
  layer_indices: z.array(whole.min(0)).min(1),
  scale: z.number().default(1),
  norm_match: z.boolean().default(false),
  position_indices: z.array(whole.min(0)).min(1).nullish(),
});

/** null is left out, which is 0. */
const prioritySchema = z
  .union([
    whole.min(0),
    z.boolean(),
    z
      .string()
      .regex(/^[0-9]+$/)
      .refine((digits) => Number.isSafeInteger(Number(digits))),
  ])
  .transform(Number);

/** The request of POST /v1/completions; null counts as left out. */
export const completionRequestSchema = z.strictObject({
  model: z.string(),
  prompt: z.union([z.string(), z.array(z.string()).min(1), tokenIds, z.array(tokenIds).min(1)]),
  max_tokens: whole.min(1).nullish(),
  temperature: z.number().min(0).max(100).nullish(),
  n: whole.min(1).nullish(),
  echo: z.boolean().nullish(),
  logprobs: whole.min(0).max(100).nullish(),
  prompt_logprobs: whole.min(-1).max(100).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: whole.min(-1).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  repetition_penalty: z.number().gt(0).nullish(),
  seed: whole.min(0).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean().nullish() }).nullish(),
  priority: prioritySchema.nullish(),
  user: z.string().nullish(),
  add_special_tokens: z.boolean().nullish(),
  output_residual_stream: z.union([z.boolean(), z.array(whole.min(0)).min(1)]).nullish(),
  apply_steering_vectors: z.array(steeringSchema).min(1).nullish(),
});

export type CompletionRequest = z.infer<typeof completionRequestSchema>;
export type WireSteeringVector = z.infer<typeof steeringSchema>;
export type WireTensor = z.infer<typeof tensorSchema>;

/** What a field takes, for the fields whose schema is a choice of several forms. */
const forms: Readonly<Record<string, string>> = {
  prompt:
    "give a text, a list of texts, a list of token ids, or a list of such lists; lists are not empty, ids are whole numbers from 0",
  stop: "give a text or a list of at most 4 texts, none empty",
  priority: "give a whole number from 0, the same as a text of digits, true or false",
  output_residual_stream: "give true, false, or a list of layers, whole numbers from 0",
};

/** Checks each field by itself. Throws ApiError 400 `invalid_request` that names every field at fault. */
export function parseCompletionRequest(json: unknown): CompletionRequest {
  const parsed = completionRequestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => `${fieldName([...issue.path, key])}: unknown field; leave it out`);
    const form = forms[String(issue.path[0])];
    return [
      form === undefined ? `${fieldName(issue.path)}: ${issue.message}` : `${String(issue.path[0])}: ${form}`,
    ];
  });
  throw invalidRequest([...new Set(problems)].slice(0, 20).join("; "));
}

function fieldName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "body";
  const name = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .slice(1);
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
