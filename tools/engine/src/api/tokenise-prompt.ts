import { ApiError, invalidRequest } from "./api-error.ts";
import { leastTokens } from "./least-tokens.ts";
import type { PreparedCompletion } from "./prepared-completion.ts";
import { doubleBos, type Leniency } from "./leniency.ts";
import type { ServedModel } from "./served-model.ts";

/** The prompts of a request: a list of ids is one prompt. */
export function promptList(
  prompt: string | readonly string[] | readonly number[] | readonly (readonly number[])[],
): readonly (string | readonly number[])[] {
  if (typeof prompt === "string") return [prompt];
  return typeof prompt[0] === "number"
    ? [prompt as readonly number[]]
    : (prompt as readonly (string | readonly number[])[]);
}

type TokenisedPrompt = PreparedCompletion["prompts"][number];

interface TokeniseOptions {
  readonly maxTokens: number;
  readonly served: ServedModel;
  readonly addSpecialTokens: boolean;
  readonly quirks: Leniency;
}

/**
 * The token ids of a prompt, and its text where it came as text. Throws ApiError 400 `invalid_request` or
 * `context_length_exceeded`.
 */
function tokenisePrompt(
  prompt: string | readonly number[],
  { maxTokens, served, addSpecialTokens, quirks }: TokeniseOptions,
): TokenisedPrompt {
  const { config, tokenizer } = served.model;
  if (typeof prompt !== "string") {
    const unknown = prompt.find((token) => token >= config.vocabSize);
    if (unknown === undefined) return { tokens: prompt, text: null };
    throw invalidRequest(
      `prompt: token id ${unknown} is not in the vocabulary; ids run from 0 to ${config.vocabSize - 1}`,
    );
  }
  // Too long however it is tokenised: not worth the time to find out.
  checkContext(leastTokens(prompt, served), maxTokens, config.contextLength, "at least ");
  const tokens = tokenizer.encode(prompt, { addSpecialTokens });
  if (tokens.length === 0)
    throw invalidRequest("prompt: this text has no token; give some text, or add_special_tokens");
  return { tokens: addSpecialTokens ? doubleBos(tokens, config, quirks) : tokens, text: prompt };
}

/** The prompts up to the first that does not fit the context: those after it are not worth the time. */
export function tokenisePrompts(
  prompts: readonly (string | readonly number[])[],
  options: TokeniseOptions,
): TokenisedPrompt[] {
  const { contextLength } = options.served.model.config;
  const tokenised: TokenisedPrompt[] = [];
  for (const prompt of prompts) {
    const last = tokenisePrompt(prompt, options);
    tokenised.push(last);
    if (last.tokens.length + options.maxTokens > contextLength) break;
  }
  return tokenised;
}

/** Throws ApiError 400 `context_length_exceeded` with the sum. */
export function checkContext(tokens: number, maxTokens: number, contextLength: number, about = ""): void {
  if (tokens + maxTokens <= contextLength) return;
  throw new ApiError(
    400,
    "context_length_exceeded",
    `prompt: ${about}${tokens} prompt tokens + ${maxTokens} max_tokens = ${tokens + maxTokens}, over the ${contextLength} tokens that the model takes`,
  );
}
