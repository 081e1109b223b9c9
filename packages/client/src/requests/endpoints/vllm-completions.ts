import * as z from "zod";
import { field, flag, plainFlag, text } from "../fields/field.ts";
import { filledPromptAllowed, filledPromptSchema, tokenId } from "../fields/prompt-pieces.ts";
import { sources } from "../fields/sources.ts";
import { vllmFormatFields } from "../fields/vllm-format-fields.ts";
import { vllmSamplingFields } from "../fields/vllm-sampling-fields.ts";
import { xargsField } from "../fields/vllm-xargs.ts";
import { vllmRules } from "../rules/vllm-rules.ts";
import { defineEndpoint } from "./endpoint.ts";

const { sampling, server, vllm } = sources;
const transferParams = field(z.record(z.string(), z.unknown()).nullish(), "an object", vllm);
const topTokens = "an integer from 0, or -1 for the whole vocabulary";

/** POST /v1/completions of vLLM 0.30 with vllm-lens. vLLM ignores a field that it does not know, so those are refused here. */
export const vllmCompletions = defineEndpoint({
  profile: "vllm",
  name: "completions",
  what: "completion request",
  route: "POST /v1/completions",
  fields: {
    model: field(z.string().min(1).nullish(), "an id from GET /models; the served one when left out", vllm),
    prompt: field(filledPromptSchema.nullish(), filledPromptAllowed, server),
    prompt_embeds: field(
      z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).nullish(),
      "base64 of a tensor, or a list of such; they go before the prompts",
      vllm,
    ),
    ...vllmSamplingFields,
    echo: flag(vllm),
    suffix: field(z.null().optional(), "left out: the server refuses it", server),
    logprobs: field(z.int().min(-1).nullish(), topTokens, sampling),
    prompt_logprobs: field(z.int().min(-1).nullish(), topTokens, sampling),
    logprob_token_ids: field(
      z.array(tokenId).min(1).max(128).nullish(),
      "a list of 1 to 128 token ids, with logprobs set",
      sampling,
    ),
    return_tokens_as_token_ids: flag(vllm),
    return_token_ids: flag(vllm),
    return_token_offsets: flag(vllm),
    skip_special_tokens: plainFlag(vllm),
    spaces_between_special_tokens: plainFlag(vllm),
    add_special_tokens: plainFlag(vllm),
    truncate_prompt_tokens: field(
      z.int().min(-1).nullish(),
      "an integer from 0, or -1 for what fits the context",
      vllm,
    ),
    truncation_side: field(z.literal(["left", "right"]).nullish(), "left or right", vllm),
    ...vllmFormatFields,
    cache_salt: field(
      z
        .string()
        .min(1)
        .max(128)

        .regex(/^[^@/\\\0]*$/)
        .nullish(),
      "a text of 1 to 128 characters without @, /, \\ and NUL",
      vllm,
    ),
    request_id: field(z.string().min(1).optional(), "a text, not empty", vllm),
    session_id: text(vllm),
    user: text(vllm),
    routed_experts_prompt_start: field(z.int().min(0).optional(), "an integer from 0", vllm),
    kv_transfer_params: transferParams,
    ec_transfer_params: transferParams,
    vllm_xargs: xargsField,
  },
  hints: {
    extra_body:
      "put its fields at the top level, and vllm-lens' keys in vllm_xargs: extra_body belongs to the openai SDK and vLLM would ignore it",
    extra_args: "send its keys in vllm_xargs: vLLM would ignore extra_args",
    output_residual_stream: "vllm takes this at vllm_xargs.output_residual_stream",
    apply_steering_vectors: "vllm takes this at vllm_xargs.apply_steering_vectors, as JSON in a text",
    best_of: "vLLM has no best_of and would ignore it; ask for n choices and choose among them",
    guided_json: "vllm takes this at structured_outputs.json",
    guided_regex: "vllm takes this at structured_outputs.regex",
    guided_choice: "vllm takes this at structured_outputs.choice",
    guided_grammar: "vllm takes this at structured_outputs.grammar",
  },
  rules: vllmRules,
});
