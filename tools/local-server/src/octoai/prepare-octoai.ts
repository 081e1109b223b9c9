import {
  checkContext,
  checkRules,
  type LimitRule,
  type PreparedCompletion,
  promptList,
  samplingFields,
  type ServedModel,
  tokenisePrompts,
} from "@residua/engine/api";
import { noQuirks, type ActiveQuirks } from "../quirks/active-quirks.ts";
import type { OctoaiRequest } from "./octoai-request.ts";
import { invalidField } from "./validation-error.ts";

/** OpenAI's default. */
const defaultMaxTokens = 16;

/** The numbers of a request that the limits speak of. */
interface OctoaiFacts {
  readonly prompts: number;
  readonly n: number;
  readonly bestOf: number;
  readonly maxTokens: number;
  /** Tokens of all prompts; null before they are counted. */
  readonly promptTokens: number | null;
  /** Log probabilities shown for each token of a prompt; 0 for none. */
  readonly promptEntries: number;
}

const source = "this server's own: the API's documentation states no limit";

const octoaiLimitRules: readonly LimitRule<OctoaiFacts>[] = [
  {
    name: "sequences",
    field: "best_of",
    limit: () => 1024,
    unit: "sequences",
    holder: "a request may ask for",
    factors: ({ prompts, bestOf }) => [
      [prompts, "prompts"],
      [bestOf, "best_of"],
    ],
    source,
  },
  {
    name: "output_work",
    field: "max_tokens",
    limit: () => 32_000,
    unit: "",
    holder: "a request may generate",
    factors: ({ prompts, bestOf, maxTokens }) => [
      [prompts, "prompts"],
      [bestOf, "best_of"],
      [maxTokens, "max_tokens"],
    ],
    source,
  },
  {
    name: "prompt_logprobs",
    field: "logprobs",
    limit: () => 1_048_576,
    unit: "log probabilities",
    holder: "a request may return of its prompts",
    factors: ({ promptTokens, n, promptEntries }) =>
      promptTokens === null || promptEntries === 0
        ? null
        : [
            [promptTokens, "prompt tokens"],
            [n, "choices"],
            [promptEntries, "a token"],
          ],
    source,
  },
];

/** Whether the log probabilities of the prompt's tokens are shown: with echo they go with its text. */
export function showsPrompt({ loglikelihood, echo, logprobs }: OctoaiRequest): boolean {
  return loglikelihood === true || (echo === true && logprobs != null);
}

/** Checks the fields against each other and against the model. Throws ValidationError or ApiError 400. */
export function prepareOctoai(
  request: OctoaiRequest,
  served: ServedModel,
  quirks: ActiveQuirks = noQuirks,
): PreparedCompletion {
  const { contextLength } = served.model.config;
  const given = promptList(request.prompt ?? "");
  const { n = 1, best_of: bestOf = n, max_tokens: maxTokens = defaultMaxTokens, logprobs, seed } = request;
  if (bestOf < n) throw invalidField("best_of", `is ${bestOf}; give at least n, which is ${n}`);
  if (request.stream === true && bestOf > n)
    throw invalidField(
      "best_of",
      `is ${bestOf} with n ${n}: which is best is known at the end; not with stream: true`,
    );
  if (request.stream !== true && request.stream_options !== undefined)
    throw invalidField("stream_options", "only with stream: true; leave it out");
  if (seed !== undefined && seed > Number.MAX_SAFE_INTEGER - (bestOf - 1))
    throw invalidField(
      "seed",
      `sequence j takes seed + j, and ${seed} + ${bestOf - 1} is not exact; give a smaller seed`,
    );
  const logitBias = biasOf(request, served);
  const promptCount = showsPrompt(request) ? (logprobs ?? 0) : null;
  const facts: OctoaiFacts = {
    prompts: given.length,
    n,
    bestOf,
    maxTokens,
    promptTokens: null,
    promptEntries: promptCount === null ? 0 : promptCount + 1,
  };
  // What needs no token count comes first: it is cheap, and it bounds the work of counting.
  checkRules(octoaiLimitRules, facts);
  const prompts = tokenisePrompts(given, { maxTokens, served, addSpecialTokens: true, quirks });
  const promptTokens = prompts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  checkRules(octoaiLimitRules, { ...facts, promptTokens });
  for (const { tokens } of prompts) checkContext(tokens.length, maxTokens, contextLength);
  const common = {
    maxTokens,
    n,
    bestOf,
    ...samplingFields(request),
    ignoreEos: request.ignore_eos ?? false,
    ...(logitBias === null ? {} : { logitBias }),
    ...(seed === undefined ? {} : { seed }),
    ...(logprobs == null ? {} : { logprobs }),
    ...(promptCount === null ? {} : { promptLogprobs: promptCount }),
  };
  return { prompts, n, generations: prompts.map(({ tokens }) => ({ ...common, prompt: tokens })) };
}

function biasOf({ logit_bias: given }: OctoaiRequest, served: ServedModel): Map<number, number> | null {
  if (given == null) return null;
  const { vocabSize } = served.model.config;
  const bias = new Map(Object.entries(given).map(([token, value]) => [Number(token), value]));
  for (const token of bias.keys()) {
    if (token >= vocabSize)
      throw invalidField(
        "logit_bias",
        `token id ${token} is not in the vocabulary; ids run from 0 to ${vocabSize - 1}`,
      );
  }
  return bias;
}
