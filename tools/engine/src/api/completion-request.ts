import { z } from "zod";
import { invalidRequest } from "./api-error.ts";
import { refuseLongLists } from "./refuse-long-lists.ts";
import { steeringSchema } from "./steering-schema.ts";
import { interventionSchema } from "./wire-interventions.ts";

const whole = z.number().int();
const tokenIds = z.array(whole.min(0)).min(1);

/**
 * null is left out, which is 0. A text of digits is taken at any length, as the API's page says; beyond what a number holds exactly,
 * all are the last.
 */
const prioritySchema = z
  .union([whole.min(0), z.boolean(), z.string().regex(/^[0-9]+$/)])
  .transform((given) => Math.min(Number(given), Number.MAX_SAFE_INTEGER));

/** The request of POST /v1/completions; null counts as left out. */
export const completionRequestSchema = z.strictObject({
  model: z.string().describe("An id from GET /v1/models."),
  prompt: z
    .union([z.string(), z.array(z.string()).min(1), tokenIds, z.array(tokenIds).min(1)])
    .describe(
      "Text or token ids, or a list of several such prompts; choice i of prompt p has the index p × n + i.",
    ),
  max_tokens: whole
    .min(1)
    .nullish()
    .describe(
      "Tokens for each choice, default 16; set it with several prompts or n above 1. Prompts × n × this: at most 32000.",
    ),
  temperature: z.number().min(0).max(100).nullish().describe("0 takes the likeliest token; default 1."),
  n: whole.min(1).nullish().describe("Choices for each prompt, default 1; at most 1024 in all."),
  echo: z.boolean().nullish().describe("Put the prompt before the text."),
  logprobs: whole
    .min(0)
    .max(100)
    .nullish()
    .describe(
      "Log probabilities of the generated tokens and of this many likeliest ones: the model's own, before every sampling field.",
    ),
  prompt_logprobs: whole
    .min(-1)
    .max(100)
    .nullish()
    .describe("The same for the prompt, by token id; -1 for the whole vocabulary. Not with stream."),
  top_p: z
    .number()
    .gt(0)
    .max(1)
    .nullish()
    .describe("Sample from the likeliest tokens up to this probability; default 1."),
  top_k: whole
    .min(-1)
    .nullish()
    .describe("Sample from this many likeliest tokens; 0 (the default) or -1 for all."),
  min_p: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe("Leave out tokens less likely than this fraction of the likeliest; default 0."),
  presence_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullish()
    .describe("Taken from the score of a token that was generated already; default 0."),
  frequency_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullish()
    .describe("Taken from the score of a token for each time that it was generated; default 0."),
  repetition_penalty: z
    .number()
    .gt(0)
    .nullish()
    .describe("Divides the score of a token of the prompt or the output; default 1."),
  seed: whole.min(0).nullish().describe("Equal seeds give equal tokens; default random."),
  stop: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(4)])
    .nullish()
    .describe("The text ends before any of these; at most 4."),
  stream: z.boolean().nullish().describe("Answer with server-sent events."),
  stream_options: z
    .strictObject({ include_usage: z.boolean().nullish() })
    .nullish()
    .describe("Only with stream: true."),
  priority: prioritySchema
    .nullish()
    .describe(
      "A lower number runs first, equal ones in order of arrival; digits as text, true and false count as their number.",
    ),
  user: z.string().nullish().describe("Your id for the person who asked; not used."),
  add_special_tokens: z
    .boolean()
    .nullish()
    .describe("Add the model's special tokens, such as BOS, to text; default true."),
  output_residual_stream: z
    .union([z.boolean(), z.array(whole.min(0)).min(1)])
    .nullish()
    .describe(
      "Return the residual stream at these layers, each once, or true for all. One prompt, n = 1, not with stream.",
    ),
  residua_embeddings: z
    .boolean()
    .nullish()
    .describe(
      "Only this server has it: return the token embeddings too, before the layers of output_residual_stream. One prompt, n = 1, not with stream.",
    ),
  apply_steering_vectors: z
    .array(steeringSchema)
    .min(1)
    .nullish()
    .describe("Add these vectors to the residual stream; at most 8. One prompt, n = 1."),
  residua_interventions: z
    .array(interventionSchema)
    .min(1)
    .max(8)
    .nullish()
    .describe(
      "Only this server has it: at these layers, after steering, in order, take the stream's coefficient along a direction away (ablate) or set it to a value (clamp). At most 8.",
    ),
});

/** The request of POST /v1/jobs/completions: the same fields, two of them narrower. */
export const jobRequestSchema = completionRequestSchema.extend({
  n: completionRequestSchema.shape.n.describe("Choices for each prompt, default 1; at most 128 in all."),
  temperature: z.number().min(0).max(2).nullish().describe("0 takes the likeliest token; default 1."),
  stream: z
    .literal(false, "a completion job is never streamed; leave it out, or give false")
    .nullish()
    .describe("A completion job is never streamed."),
});

export type CompletionRequest = z.infer<typeof completionRequestSchema>;

/** What a field takes, for the fields whose schema is a choice of several forms. */
const forms: Readonly<Record<string, string>> = {
  prompt:
    "give a text, a list of texts, a list of token ids, or a list of such lists; lists are not empty, ids are whole numbers from 0",
  stop: "give a text or a list of at most 4 texts, none empty",
  priority: "give a whole number from 0, the same as a text of digits, true or false",
  output_residual_stream: "give true, false, or a list of layers, whole numbers from 0",
};

/** Checks each field by itself. Throws ApiError 400 `invalid_request` that names every field at fault. */
export function parseCompletionRequest(
  json: unknown,
  schema: typeof completionRequestSchema | typeof jobRequestSchema = completionRequestSchema,
): CompletionRequest {
  refuseLongLists(json);
  const parsed = schema.safeParse(json);
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
