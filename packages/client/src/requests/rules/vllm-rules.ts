import { sources } from "../fields/sources.ts";
import { contextRule } from "./context-rule.ts";
import { between, count, plus } from "./count.ts";
import type { RequestRule } from "./request-rule.ts";
import {
  captureNumbers,
  captureStreamRule,
  exclusion,
  largestBiasedId,
  largestId,
  largestPromptId,
  layerRules,
  oneChoiceRules,
  steeringNumbers,
  steeringWidthRule,
  streamOptionsRule,
  vocabularyRule,
} from "./shared-rules.ts";

const { lens, sampling, server, vllm } = sources;
const capture = "vllm_xargs.output_residual_stream";
const steering = "vllm_xargs.apply_steering_vectors";

/** What vLLM takes as greedy. */
const greedy = 1e-5;

/** A limit that is a setting of the server: over its default the answer is not known, and the request is sent. */
function settingRule(rule: Omit<RequestRule, "limit"> & { setting: string; limit: number }): RequestRule {
  return rule;
}

export const vllmRules: readonly RequestRule[] = [
  exclusion(
    {
      name: "prompt_required",
      formula: "neither prompt nor prompt_embeds",
      allows: "a prompt, or prompt_embeds",
      source: server,
      field: "prompt",
    },
    ({ request }) => request.prompt === undefined && request.prompt_embeds === undefined,
  ),
  settingRule({
    name: "prompts",
    formula: "prompts",
    limit: 1024,
    allows: "prompts a request may have",
    setting: "VLLM_MAX_COMPLETION_PROMPTS",
    source: vllm,
    field: "prompt",
    measure: ({ prompts }) => ({ value: count(prompts, "prompts") }),
  }),
  settingRule({
    name: "choices",
    formula: "n",
    limit: 16_384,
    allows: "choices a prompt may have",
    setting: "VLLM_MAX_N_SEQUENCES",
    source: sampling,
    field: "n",
    measure: ({ n }) => ({ value: count(n, "choices") }),
  }),
  {
    name: "greedy_one_choice",
    formula: "n with temperature 0",
    limit: 1,
    allows: "choice that greedy sampling has",
    source: sampling,
    field: "n",
    hint: "the choices would be equal; raise temperature or set n to 1",
    measure({ n, request: { temperature, use_beam_search: beam } }) {
      if (n === 1 || beam === true || (temperature !== undefined && temperature >= greedy)) return undefined;
      if (temperature !== undefined) return { value: count(n, "choices") };
      return { value: between(1, n, "choices", "temperature is left out: the server's default decides") };
    },
  },
  exclusion(
    {
      name: "no_tokens_only_with_echo",
      formula: "max_tokens 0 without echo: true",
      allows: "max_tokens from 1, or 0 with echo: true",
      source: server,
      field: "max_tokens",
    },
    ({ request }) => request.max_tokens === 0 && request.echo !== true,
  ),
  {
    name: "min_tokens_at_most_max_tokens",
    formula: "min_tokens",
    limit: "max_tokens (16 when left out)",
    allows: "of max_tokens",
    source: sampling,
    field: "min_tokens",
    measure: ({ request, maxTokens }) =>
      request.min_tokens === undefined
        ? undefined
        : {
            value: count(request.min_tokens, "min_tokens"),
            limit: count(Math.max(1, maxTokens), "max_tokens"),
          },
  },
  ...(["logprobs", "prompt_logprobs"] as const).map((field) =>
    settingRule({
      name: `${field}_setting`,
      formula: `${field} (-1 is the whole vocabulary)`,
      limit: 20,
      allows: "log probabilities a token may have",
      setting: "--max-logprobs",
      source: sampling,
      field,
      measure(facts) {
        const asked = facts.request[field];
        if (asked === undefined) return undefined;
        return { value: asked === -1 ? facts.vocabularySize() : count(asked, "log probabilities") };
      },
    }),
  ),
  exclusion(
    {
      name: "prompt_logprobs_not_with_stream",
      formula: "prompt_logprobs over 0 or -1 with stream: true",
      allows: "prompt_logprobs without stream",
      source: vllm,
      field: "prompt_logprobs",
    },
    ({ request: { prompt_logprobs: top = 0, stream } }) => top !== 0 && stream === true,
  ),
  exclusion(
    {
      name: "logprob_token_ids_with_logprobs",
      formula: "logprob_token_ids without logprobs",
      allows: "logprob_token_ids with logprobs set",
      source: vllm,
      field: "logprob_token_ids",
    },
    ({ request }) => request.logprob_token_ids !== undefined && request.logprobs === undefined,
  ),
  exclusion(
    {
      name: "logprob_token_ids_with_tokens",
      formula: "logprob_token_ids with use_beam_search, or with echo and max_tokens 0",
      allows: "logprob_token_ids where tokens are sampled",
      source: vllm,
      field: "logprob_token_ids",
    },
    ({ request }) =>
      request.logprob_token_ids !== undefined &&
      (request.use_beam_search === true || (request.echo === true && request.max_tokens === 0)),
  ),
  streamOptionsRule(vllm, { emptyIsNone: true }),
  exclusion(
    {
      name: "beam_search_not_with_stream",
      formula: "use_beam_search with stream: true",
      allows: "beam search without stream",
      source: server,
      field: "use_beam_search",
    },
    ({ request }) => request.use_beam_search === true && request.stream === true,
  ),
  exclusion(
    {
      name: "embeddings_alone",
      formula: "prompt_embeds with echo or prompt_logprobs",
      allows: "prompt_embeds without echo and prompt_logprobs",
      source: vllm,
      field: "prompt_embeds",
    },
    ({ request: { prompt_embeds: embeds, echo, prompt_logprobs: top } }) =>
      embeds !== undefined && (echo === true || top !== undefined),
  ),
  ...oneChoiceRules("capture", capture),
  ...oneChoiceRules("steering", steering),
  captureStreamRule(capture),
  exclusion(
    {
      name: "lens_not_with_beam_search",
      formula: "a capture or steering with use_beam_search",
      allows: "capture and steering without beam search, which drops them in silence",
      source: lens,
      field: "use_beam_search",
    },
    ({ request, capture: layers, steering: vectors }) =>
      request.use_beam_search === true && (layers !== undefined || vectors !== undefined),
  ),
  ...layerRules(capture, steering),
  steeringWidthRule(steering),
  settingRule({
    name: "capture_numbers",
    formula: "layers × (prompt tokens + max_tokens, 16 when left out) × hidden size",
    limit: 33_554_432,
    allows: "numbers that the hosted API takes in a capture",
    setting: "memory (vllm-lens states no limit: this one is the hosted API's)",
    source: sources.job,
    field: capture,
    measure: (facts) =>
      facts.capture === undefined ? undefined : { value: captureNumbers(facts, plus(facts.promptTokens())) },
  }),
  settingRule({
    name: "steering_numbers",
    formula: "the sum over the vectors of layers × positions, × hidden size",
    limit: 2_097_152,
    allows: "numbers that the hosted API takes in steering vectors",
    setting: "memory (vllm-lens states no limit: this one is the hosted API's)",
    source: sources.job,
    field: steering,
    measure(facts) {
      const value = steeringNumbers(facts);
      return value && { value };
    },
  }),
  contextRule(server),
  vocabularyRule("prompt", largestPromptId),
  ...(["stop_token_ids", "allowed_token_ids", "logprob_token_ids"] as const).map((field) =>
    vocabularyRule(field, (request) => largestId(field, request[field])),
  ),
  vocabularyRule("logit_bias", largestBiasedId),
];
