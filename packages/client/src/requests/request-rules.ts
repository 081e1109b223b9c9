import { type CompletionRequest, defaultMaxTokens, promptCount, promptTokens } from "./completion-request.ts";

/** A rule over several fields. The check, the error text and the docs all read this one list. */
export interface RequestRule {
  name: string;
  /** What is counted, in words. */
  formula: string;
  limit: number;
  /** What the limit is on: ends the sentence "… = 51200, over the 32000 …". */
  allows: string;
  source: string;
  /** The field that an error names. */
  field: string;
  hint?: string;
  /** The worked sum, or undefined where the rule does not apply or cannot be counted here. */
  measure(request: CompletionRequest): { value: number; sum: string } | undefined;
}

const job = "Create Completion Job";
const completions = "Sample continuations (POST /v1/completions)";

export const requestRules: readonly RequestRule[] = [
  {
    name: "output_work",
    formula: "prompts × n × max_tokens (16 when left out)",
    limit: 32_000,
    allows: "a request may generate",
    source: job,
    field: "max_tokens",
    measure(request) {
      const { prompts, n, choices } = counts(request);
      const maxTokens = request.max_tokens ?? defaultMaxTokens;
      return product([prompts, "prompts"], [n, "choices"], [maxTokens, "max_tokens"], choices * maxTokens);
    },
  },
  {
    name: "choices",
    formula: "prompts × n",
    limit: 1024,
    allows: "choices a request may have",
    source: completions,
    field: "n",
    measure(request) {
      const { prompts, n, choices } = counts(request);
      return product([prompts, "prompts"], [n, "choices"], undefined, choices);
    },
  },
  {
    name: "max_tokens_required",
    formula: "prompts × n when max_tokens is left out",
    limit: 1,
    allows: "choice a request may have without max_tokens",
    source: completions,
    field: "max_tokens",
    hint: "set max_tokens",
    measure(request) {
      if (request.max_tokens !== undefined) return undefined;
      const { prompts, n, choices } = counts(request);
      return product([prompts, "prompts"], [n, "choices"], undefined, choices);
    },
  },
  {
    name: "full_vocabulary",
    formula: "prompt tokens × n with prompt_logprobs -1",
    limit: 256,
    allows: "prompt tokens that may have the whole vocabulary",
    source: job,
    field: "prompt_logprobs",
    measure: (request) => (request.prompt_logprobs === -1 ? tokensTimesN(request) : undefined),
  },
  {
    name: "full_vocabulary_with_capture",
    formula: "prompt tokens × n with prompt_logprobs -1 and output_residual_stream",
    limit: 16,
    allows: "prompt tokens that may have the whole vocabulary beside a capture",
    source: job,
    field: "prompt_logprobs",
    measure: (request) =>
      request.prompt_logprobs === -1 && captures(request) ? tokensTimesN(request) : undefined,
  },
  {
    name: "prompt_logprobs_total",
    formula: "prompt tokens × n × (prompt_logprobs + 1, and logprobs + 1 more with echo)",
    limit: 33_554_432,
    allows: "log probabilities of prompt tokens a request may return",
    source: job,
    field: "prompt_logprobs",
    measure(request) {
      const { prompt_logprobs: top, logprobs, echo } = request;
      const tokens = promptTokens(request.prompt);
      if (top === undefined || top < 0 || tokens === undefined) return undefined;
      const each = top + 1 + (echo === true && logprobs !== undefined ? logprobs + 1 : 0);
      const { n } = counts(request);
      return product(
        [tokens, "prompt tokens"],
        [n, "choices"],
        [each, "log probabilities"],
        tokens * n * each,
      );
    },
  },
  {
    name: "one_prompt_for_capture_or_steering",
    formula: "prompts × n with output_residual_stream or apply_steering_vectors",
    limit: 1,
    allows: "choice that capture or steering takes",
    source: "vllm-lens: with several prompts or choices capture and steering are silently dropped",
    field: "n",
    hint: "send one request for each prompt and choice",
    measure(request) {
      if (!captures(request) && request.apply_steering_vectors === undefined) return undefined;
      const { prompts, n, choices } = counts(request);
      return product([prompts, "prompts"], [n, "choices"], undefined, choices);
    },
  },
  {
    name: "steering_numbers",
    formula: "the sum over the vectors of layers × positions × hidden size",
    limit: 2_097_152,
    allows: "numbers that steering vectors may hold in all",
    source: job,
    field: "apply_steering_vectors",
    measure(request) {
      const vectors = request.apply_steering_vectors;
      if (vectors === undefined) return undefined;
      const sizes = vectors.map(({ activations }) => activations.shape.reduce((a, b) => a * b, 1));
      const sums = vectors.map(({ activations }) => activations.shape.join(" × "));
      return { value: sizes.reduce((a, b) => a + b, 0), sum: sums.join(" + ") };
    },
  },
];

function counts(request: CompletionRequest): { prompts: number; n: number; choices: number } {
  const prompts = promptCount(request.prompt);
  const n = request.n ?? 1;
  return { prompts, n, choices: prompts * n };
}

function captures({ output_residual_stream: layers }: CompletionRequest): boolean {
  return layers !== undefined && layers !== false;
}

function tokensTimesN(request: CompletionRequest): { value: number; sum: string } | undefined {
  const tokens = promptTokens(request.prompt);
  const { n } = counts(request);
  return tokens === undefined
    ? undefined
    : product([tokens, "prompt tokens"], [n, "choices"], undefined, tokens * n);
}

type Factor = readonly [number, string];

function product(a: Factor, b: Factor, c: Factor | undefined, value: number): { value: number; sum: string } {
  return { value, sum: (c ? [a, b, c] : [a, b]).map((factor) => factor.join(" ")).join(" × ") };
}
