import { checkRules, type LimitRule } from "./limit-rule.ts";

/** The numbers of a request that the limits speak of. */
export interface RequestFacts {
  readonly prompts: number;
  readonly n: number;
  readonly maxTokens: number;
  /** Tokens of all prompts; null before they are counted. */
  readonly promptTokens: number | null;
  /** Undefined when not asked for. */
  readonly logprobs: number | undefined;
  readonly promptLogprobs: number | undefined;
  readonly echo: boolean;
  /** Layers captured, 0 for none. */
  readonly captureLayers: number;
  readonly steeringVectors: number;
  /** Layers × positions, summed over the steering vectors. */
  readonly steeringRows: number;
  /** The hidden size by which the catalogue counts. */
  readonly hiddenSize: number;
  /** A completion job. */
  readonly job?: boolean;
}

/** Every limit of the API that spans several fields. */
export const limitRules: readonly LimitRule<RequestFacts>[] = [
  {
    name: "choices",
    field: "n",
    limit: ({ job }) => (job === true ? 128 : 1024),
    unit: "choices",
    holder: "a request may ask for",
    factors: ({ prompts, n }) => [
      [prompts, "prompts"],
      [n, "choices"],
    ],
    source: "Sample continuations, Send several prompts; Create Completion Job, n",
  },
  {
    name: "output_work",
    field: "max_tokens",
    limit: () => 32_000,
    unit: "",
    holder: "a request may generate",
    factors: ({ prompts, n, maxTokens }) => [
      [prompts, "prompts"],
      [n, "choices"],
      [maxTokens, "max_tokens"],
    ],
    source: "Create Completion Job, max_tokens",
  },
  {
    name: "prompt_logprobs",
    field: "prompt_logprobs",
    limit: () => 33_554_432,
    unit: "log probabilities",
    holder: "a request may return",
    factors: ({ promptTokens, n, promptLogprobs, logprobs, echo }) => {
      const perToken =
        (promptLogprobs === undefined || promptLogprobs === -1 ? 0 : promptLogprobs + 1) +
        (echo && logprobs !== undefined ? logprobs + 1 : 0);
      if (promptTokens === null || perToken === 0) return null;
      return [
        [promptTokens, "prompt tokens"],
        [n, "choices"],
        [perToken, "a token"],
      ];
    },
    source: "Create Completion Job, prompt_logprobs",
  },
  {
    name: "full_vocabulary",
    field: "prompt_logprobs",
    limit: ({ captureLayers }) => (captureLayers > 0 ? 16 : 256),
    unit: "tokens",
    holder: "that prompt_logprobs -1 takes (256, or 16 with output_residual_stream)",
    factors: ({ promptTokens, n, promptLogprobs }) =>
      promptTokens === null || promptLogprobs !== -1
        ? null
        : [
            [promptTokens, "prompt tokens"],
            [n, "choices"],
          ],
    source: "Create Completion Job, prompt_logprobs",
  },
  {
    name: "capture",
    field: "output_residual_stream",
    limit: () => 33_554_432,
    unit: "numbers",
    holder: "a capture may hold",
    factors: ({ captureLayers, promptTokens, maxTokens, hiddenSize }) =>
      promptTokens === null || captureLayers === 0
        ? null
        : [
            [captureLayers, "layers"],
            [promptTokens + maxTokens, "tokens"],
            [hiddenSize, "hidden size"],
          ],
    source: "Create Completion Job, output_residual_stream",
  },
  {
    name: "steering_vectors",
    field: "apply_steering_vectors",
    limit: () => 8,
    unit: "",
    holder: "a request may apply",
    factors: ({ steeringVectors }) => [[steeringVectors, "vectors"]],
    source: "Create Completion Job, apply_steering_vectors",
  },
  {
    name: "steering_numbers",
    field: "apply_steering_vectors",
    limit: () => 2_097_152,
    unit: "numbers",
    holder: "steering vectors may hold in all",
    factors: ({ steeringRows, hiddenSize }) => [
      [steeringRows, "layers × positions"],
      [hiddenSize, "hidden size"],
    ],
    source: "Create Completion Job, apply_steering_vectors",
  },
];

/** Throws ApiError 400 `invalid_request`, with the sum, for the first limit that a request breaks. */
export const checkLimits = (facts: RequestFacts): void => checkRules(limitRules, facts);
