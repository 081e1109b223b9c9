import * as z from "zod";
import { field, flag, text } from "./field.ts";
import { promptAllowed, promptSchema, stopAllowed, stopSchema } from "./prompt-pieces.ts";
import { sources } from "./sources.ts";
import { layerList, wireSteeringVector } from "./wire-steering.ts";

const { completions, job } = sources;
const penalty = z.number().min(-2).max(2).nullish();

/**
 * The fields that the completion and the job of the hosted API share, in the order of its own page. The page says what
 * null is for `priority` alone; OpenAI's users expect null to be the same as leaving a field out, so it is taken for
 * every field that may be left out, and not sent.
 */
export const acsFields = {
  model: field(z.string().min(1), "an id from GET /models, such as llama-8b", job),
  prompt: field(promptSchema, promptAllowed, job),
  max_tokens: field(z.int().min(1).nullish(), "an integer from 1", completions),
  temperature: field(z.number().min(0).max(100).nullish(), "a number from 0 to 100", completions),
  n: field(z.int().min(1).nullish(), "an integer from 1", completions),
  echo: flag(job),
  logprobs: field(z.int().min(0).max(100).nullish(), "an integer from 0 to 100", job),
  prompt_logprobs: field(
    z.int().min(-1).max(100).nullish(),
    "an integer from 0 to 100, or -1 for the whole vocabulary",
    job,
  ),
  top_p: field(z.number().gt(0).max(1).nullish(), "a number over 0, at most 1", job),
  top_k: field(z.int().min(-1).nullish(), "an integer from 1, or 0 or -1 for all", job),
  min_p: field(z.number().min(0).max(1).nullish(), "a number from 0 to 1", job),
  presence_penalty: field(penalty, "a number from -2 to 2", job),
  frequency_penalty: field(penalty, "a number from -2 to 2", job),
  repetition_penalty: field(z.number().gt(0).nullish(), "a number over 0", job),
  seed: field(z.int().min(0).nullish(), "an integer from 0", completions),
  stop: field(stopSchema.nullish(), stopAllowed, job),
  stream: flag(completions),
  stream_options: field(
    z.strictObject({ include_usage: z.boolean().nullish() }).nullish(),
    "{ include_usage: true or false }, only with stream: true",
    completions,
  ),
  priority: field(
    z.union([z.int().min(0), z.string().regex(/^[0-9]+$/), z.boolean()]).nullish(),
    "an integer from 0, the same as a text of digits, or true or false, which count as 1 and 0; a lower one runs first",
    job,
  ),
  user: text(job),
  add_special_tokens: flag(job),
  output_residual_stream: field(
    z.union([z.boolean(), layerList]).nullish(),
    "true, false, or a list of layers from 0, each once",
    job,
  ),
  apply_steering_vectors: field(
    z.array(wireSteeringVector).min(1).max(8).nullish(),
    "a list of 1 to 8 steering vectors",
    job,
  ),
};

/** Fields that people send and the hosted API refuses, and what to do instead. */
export const acsHints: Readonly<Record<string, string>> = {
  extra_body:
    "put its fields at the top level: extra_body belongs to the openai SDK and is refused by the API",
  best_of: "the API has no best_of; ask for n choices and choose among them",
  suffix: "the API has no suffix",
  logit_bias: "the API has no logit_bias",
  vllm_xargs:
    "with this profile capture and steering are top-level fields: output_residual_stream, apply_steering_vectors",
};
