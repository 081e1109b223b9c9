import { z } from "zod";
import { refuseLongLists } from "@residua/engine/api";
import { invalidField, schemaError } from "./validation-error.ts";

const whole = z.number().int();
const tokenIds = z.array(whole.min(0)).min(1);

/** A token id as the key of a bias. */
const tokenId = /^(0|[1-9][0-9]*)$/;

/** Tokens that a bias may name. */
const mostBiases = 4096;

/**
 * The request of POST /v1/completions: the fields of "Create Completion", with null where it says nullable. `prompt`,
 * `stop` and `stream_options`, which that page leaves out, are as its SDK sends them. Ranges that it does not state are
 * OpenAI's and vLLM's.
 */
export const octoaiRequestSchema = z.strictObject({
  model: z.string().describe("An id from GET /v1/models."),
  prompt: z
    .union([z.string(), z.array(z.string()).min(1), tokenIds, z.array(tokenIds).min(1)])
    .optional()
    .describe(
      "Text or token ids, or a list of several such prompts; default an empty text. Choice i of prompt p has the index p × n + i.",
    ),
  best_of: whole
    .min(1)
    .optional()
    .describe(
      "Sequences generated from each prompt, at least n, which is the default; the n of the highest total log probability are returned. Not with stream when it is above n.",
    ),
  echo: z.boolean().optional().describe("Put the prompt before the text."),
  frequency_penalty: z
    .number()
    .min(-2)
    .max(2)
    .optional()
    .describe("Taken from the score of a token for each time that it was generated; default 0."),
  ignore_eos: z.boolean().optional().describe("Go on after the model's end token, up to max_tokens."),
  log_prompt: z
    .boolean()
    .optional()
    .describe(
      "Accepted; this server stores no prompt, whatever it says, and answers true with the header X-Log-Prompt.",
    ),
  logit_bias: z
    .record(z.string().regex(tokenId), z.number().min(-100).max(100))
    .nullish()
    .describe(`From token id to a number added to its score; at most ${mostBiases} tokens.`),
  loglikelihood: z
    .boolean()
    .optional()
    .describe(
      "Begin logprobs.content with the log probabilities of the prompt's tokens; the first token has none and is left out.",
    ),
  logprobs: whole
    .min(0)
    .max(100)
    .nullish()
    .describe("Log probabilities of the generated tokens and of this many likeliest ones."),
  max_tokens: whole.min(1).optional().describe("Tokens for each sequence, default 16."),
  min_p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Leave out tokens less likely than this fraction of the likeliest; default 0."),
  n: whole.min(1).optional().describe("Choices for each prompt, default 1."),
  peft: z
    .null("adapters cannot be loaded here; leave it out, or give null")
    .optional()
    .describe("Refused: this server has no adapters."),
  presence_penalty: z
    .number()
    .min(-2)
    .max(2)
    .optional()
    .describe("Taken from the score of a token that was generated already; default 0."),
  repetition_penalty: z
    .number()
    .gt(0)
    .optional()
    .describe("Divides the score of a token of the prompt or the output; default 1."),
  seed: whole.min(0).optional().describe("Equal seeds give equal tokens; default random."),
  stop: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(4)])
    .optional()
    .describe("The text ends before any of these; at most 4."),
  stream: z.boolean().optional().describe("Answer with server-sent events."),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional() })
    .optional()
    .describe("Only with stream: true. The usage is on the last chunk."),
  suffix: z
    .null("text is only added at the end here; leave it out, or give null")
    .optional()
    .describe("Refused: this server does not insert text."),
  temperature: z.number().min(0).max(2).optional().describe("0 takes the likeliest token; default 1."),
  top_p: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("Sample from the likeliest tokens up to this probability; default 1."),
  user: z.string().nullish().describe("Your id for the person who asked; not used."),
});

export type OctoaiRequest = z.infer<typeof octoaiRequestSchema>;

const forms: Readonly<Record<string, string>> = {
  prompt:
    "give a text, a list of texts, a list of token ids, or a list of such lists; lists are not empty, ids are whole numbers from 0",
  stop: "give a text or a list of at most 4 texts, none empty",
};

/** Checks each field by itself. Throws ValidationError, or ApiError 400 for lists that nothing can use. */
export function parseOctoaiRequest(json: unknown): OctoaiRequest {
  refuseLongLists(json);
  checkBiasKeys((Object(json) as Record<string, unknown>)["logit_bias"]);
  const parsed = octoaiRequestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw schemaError(parsed.error.issues, json, forms);
}

/** Before the schema, which would list a million faults one by one, and would not see a key named `__proto__`. */
function checkBiasKeys(bias: unknown): void {
  if (typeof bias !== "object" || bias === null || Array.isArray(bias)) return;
  const keys = Object.keys(bias);
  if (keys.length > mostBiases)
    throw invalidField("logit_bias", `${keys.length} tokens, over the ${mostBiases} that it may name`);
  const strange = keys.find((key) => !tokenId.test(key));
  if (strange === undefined) return;
  const name = JSON.stringify(strange.slice(0, 100));
  throw invalidField("logit_bias", `${name} is no token id; give whole numbers from 0 as keys`);
}
