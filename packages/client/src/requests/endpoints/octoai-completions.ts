import * as z from "zod";
import { field } from "../fields/field.ts";
import { promptAllowed, promptSchema, tokenIdKey } from "../fields/prompt-pieces.ts";
import { sources } from "../fields/sources.ts";
import { octoaiRules } from "../rules/octoai-rules.ts";
import { defineEndpoint } from "./endpoint.ts";

const { octoai, octoaiSDK } = sources;
const number = field(z.number().optional(), "a number (no range is stated)", octoai);
const flag = field(z.boolean().optional(), "true or false", octoai);
const nullableText = field(z.string().nullish(), "a text, or null", octoai);
const count = field(z.int().min(1).optional(), "an integer from 1", octoai);

/**
 * POST /v1/completions of an OctoAI-style server. The page states few ranges, so few are checked; null is taken where it
 * says nullable. `prompt`, `stop` and `stream_options` are as its SDK has them.
 */
export const octoaiCompletions = defineEndpoint({
  profile: "octoai",
  name: "completions",
  what: "completion request",
  route: "POST /v1/completions",
  fields: {
    model: field(z.string().min(1), "the id of a model", octoai),
    prompt: field(promptSchema.optional(), promptAllowed, octoaiSDK),
    best_of: field(z.int().min(1).optional(), "an integer from 1, at least n", octoai),
    echo: flag,
    frequency_penalty: number,
    ignore_eos: flag,
    log_prompt: flag,
    logit_bias: field(
      z.record(tokenIdKey, z.number().min(-100).max(100)).nullish(),
      "an object from token id to a number from -100 to 100, or null",
      octoai,
    ),
    loglikelihood: flag,
    logprobs: field(z.int().min(0).nullish(), "an integer from 0, or null", octoai),
    max_tokens: count,
    min_p: number,
    n: count,
    peft: nullableText,
    presence_penalty: number,
    repetition_penalty: number,
    seed: field(z.int().optional(), "an integer", octoai),
    stop: field(
      z.union([z.string(), z.array(z.string())]).optional(),
      "a text or a list of texts",
      octoaiSDK,
    ),
    stream: flag,
    stream_options: field(
      z.strictObject({ include_usage: z.boolean().optional() }).optional(),
      "{ include_usage: true or false }, only with stream: true",
      octoaiSDK,
    ),
    suffix: nullableText,
    temperature: number,
    top_p: number,
    user: nullableText,
  },
  hints: {
    extra_body: "put its fields at the top level: extra_body belongs to the openai SDK",
  },
  rules: octoaiRules,
});
