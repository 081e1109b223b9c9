import { badRequest } from "./vllm-error.ts";

/** What a request would make the server hold. */
export interface Work {
  readonly prompts: number;
  readonly n: number;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** Candidates for each token, asked or not. */
  readonly logprobs: number | null;
  readonly promptLogprobs: number | null;
  readonly captureLayers: number;
  readonly hiddenSize: number;
}

interface Bound {
  readonly field: string;
  readonly limit: number;
  readonly unit: string;
  readonly factors: (work: Work) => readonly (readonly [value: number, unit: string])[];
}

/** vLLM has no such bounds but the first: these keep this server's memory bounded. */
const bounds: readonly Bound[] = [
  { field: "prompt", limit: 1024, unit: "prompts", factors: ({ prompts }) => [[prompts, "prompts"]] },
  {
    field: "n",
    limit: 16_384,
    unit: "choices",
    factors: ({ prompts, n }) => [
      [prompts, "prompts"],
      [n, "n"],
    ],
  },
  {
    field: "max_tokens",
    limit: 1_048_576,
    unit: "generated tokens",
    factors: ({ prompts, n, maxTokens }) => [
      [prompts, "prompts"],
      [n, "n"],
      [maxTokens, "max_tokens"],
    ],
  },
  {
    field: "logprobs",
    limit: 2_097_152,
    unit: "log probabilities",
    factors: ({ prompts, n, maxTokens, logprobs }) => [
      [prompts, "prompts"],
      [n, "n"],
      [maxTokens, "max_tokens"],
      [logprobs === null ? 0 : logprobs + 1, "log probabilities a token"],
    ],
  },
  {
    field: "prompt_logprobs",
    limit: 2_097_152,
    unit: "log probabilities",
    factors: ({ n, promptTokens, promptLogprobs }) => [
      [promptTokens, "prompt tokens"],
      [n, "n"],
      [promptLogprobs === null ? 0 : promptLogprobs + 1, "log probabilities a token"],
    ],
  },
  {
    field: "output_residual_stream",
    limit: 67_108_864,
    unit: "numbers",
    factors: ({ captureLayers, promptTokens, maxTokens, hiddenSize }) => [
      [captureLayers, "layers"],
      [promptTokens + maxTokens, "tokens"],
      [hiddenSize, "hidden size"],
    ],
  },
];

/** Throws ApiError 400, with the sum, for what this server would not have the memory for. */
export function checkBounds(work: Work): void {
  for (const { field, limit, unit, factors } of bounds) {
    const given = factors(work);
    const product = given.reduce((total, [value]) => total * value, 1);
    if (product <= limit) continue;
    const sum = given.map(([value, name]) => `${value} ${name}`).join(" × ");
    throw badRequest(
      `${field}: ${sum} = ${product}, over the ${limit} ${unit} that this server takes; ask for less, or in several requests`,
      field,
    );
  }
}
