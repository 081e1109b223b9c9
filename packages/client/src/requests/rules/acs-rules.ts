import { sources } from "../fields/sources.ts";
import { count, plus, times, valueText } from "./count.ts";
import { contextRule } from "./context-rule.ts";
import type { RequestRule } from "./request-rule.ts";
import {
  captureNumbers,
  captureStreamRule,
  choicesOf,
  emptyTextRule,
  exclusion,
  largestPromptId,
  layerRules,
  oneChoiceRules,
  steeringNumbers,
  steeringWidthRule,
  streamOptionsRule,
  vocabularyRule,
} from "./shared-rules.ts";

const { completions, job } = sources;
const capture = "output_residual_stream";
const steering = "apply_steering_vectors";

/** The rules of the hosted API. Completions and jobs differ in how many choices a request may have. */
export function acsRules(choices: { choices: number; source: string }): readonly RequestRule[] {
  return [
    {
      name: "output_work",
      formula: "prompts × n × max_tokens (16 when left out)",
      limit: 32_000,
      allows: "a request may generate",
      source: job,
      field: "max_tokens",
      measure: (facts) => ({ value: times(choicesOf(facts), count(facts.maxTokens, "max_tokens")) }),
    },
    {
      name: "choices",
      formula: "prompts × n",
      limit: choices.choices,
      allows: "choices a request may have",
      source: choices.source,
      field: "n",
      measure: (facts) => ({ value: choicesOf(facts) }),
    },
    {
      name: "max_tokens_required",
      formula: "prompts × n when max_tokens is left out",
      limit: 1,
      allows: "choice a request may have without max_tokens",
      source: completions,
      field: "max_tokens",
      hint: "set max_tokens",
      measure: (facts) => (facts.request.max_tokens === undefined ? { value: choicesOf(facts) } : undefined),
    },
    fullVocabularyRule(256, "full_vocabulary", ""),
    fullVocabularyRule(16, "full_vocabulary_with_capture", ` and ${capture}`),
    {
      name: "prompt_logprobs_total",
      formula: "prompt tokens × n × (prompt_logprobs + 1, and logprobs + 1 more with echo)",
      limit: 33_554_432,
      allows: "log probabilities of prompt tokens a request may return",
      source: job,
      field: "prompt_logprobs",
      measure(facts) {
        const { prompt_logprobs: top, logprobs, echo } = facts.request;
        if (top === undefined || top < 0) return undefined;
        const each = top + 1 + (echo === true && logprobs !== undefined ? logprobs + 1 : 0);
        return {
          value: times(promptTokens(facts), count(facts.n, "choices"), count(each, "log probabilities")),
        };
      },
    },
    exclusion(
      {
        name: "prompt_logprobs_not_with_stream",
        formula: "prompt_logprobs with stream: true",
        allows: "prompt_logprobs without stream",
        source: completions,
        field: "prompt_logprobs",
      },
      ({ request }) => request.prompt_logprobs !== undefined && request.stream === true,
    ),
    streamOptionsRule(job),
    ...oneChoiceRules("capture", capture),
    ...oneChoiceRules("steering", steering),
    captureStreamRule(capture),
    ...layerRules(capture, steering),
    steeringWidthRule(steering),
    {
      name: "capture_numbers",
      formula: "layers × (prompt tokens + max_tokens, 16 when left out) × hidden size",
      limit: 33_554_432,
      allows: "numbers that a capture may hold",
      source: job,
      field: capture,
      hint: "ask for fewer layers, a shorter prompt or fewer max_tokens",
      measure: (facts) =>
        facts.capture === undefined ? undefined : { value: captureNumbers(facts, promptTokens(facts)) },
    },
    {
      name: "steering_numbers",
      formula: "the sum over the vectors of layers × positions, × hidden size",
      limit: 2_097_152,
      allows: "numbers that steering vectors may hold in all",
      source: job,
      field: steering,
      measure(facts) {
        const value = steeringNumbers(facts);
        return value && { value };
      },
    },
    emptyTextRule(job),
    contextRule(job),
    vocabularyRule("prompt", largestPromptId),
  ];
}

function fullVocabularyRule(limit: number, name: string, beside: string): RequestRule {
  return {
    name,
    formula: `prompt tokens × n with prompt_logprobs -1${beside}`,
    limit,
    allows: `prompt tokens that may have the whole vocabulary${beside && " beside a capture"}`,
    source: job,
    field: "prompt_logprobs",
    measure(facts) {
      if (facts.request.prompt_logprobs !== -1) return undefined;
      if (beside !== "" && facts.capture === undefined) return undefined;
      return { value: times(promptTokens(facts), count(facts.n, "choices")) };
    },
  };
}

/** Of all prompts. */
function promptTokens(facts: Parameters<RequestRule["measure"]>[0]) {
  return totalTokens(facts.promptTokens());
}

function totalTokens(each: ReturnType<Parameters<RequestRule["measure"]>[0]["promptTokens"]>) {
  const [only] = each;
  if (only !== undefined && each.length === 1) return only;
  const sum = plus(each);
  return { ...sum, text: () => `${valueText(sum)} prompt tokens` };
}
