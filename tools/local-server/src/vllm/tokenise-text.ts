import { leastTokens, type ServedModel } from "@residua/engine/api";
import { badRequest } from "./vllm-error.ts";

interface TokeniseOptions {
  readonly addSpecialTokens: boolean;
  /** Tokens to leave room for in the model's context. */
  readonly maxTokens: number;
}

/** The token ids of a text that fits the model. Throws ApiError 400 in vLLM's words. */
export function tokeniseText(
  text: string,
  served: ServedModel,
  { addSpecialTokens, maxTokens }: TokeniseOptions,
): number[] {
  const { config, tokenizer } = served.model;
  checkMaxTokens(maxTokens, config.contextLength);
  const room = config.contextLength - maxTokens;
  const mostCharacters = room * tokenizer.longestToken;
  // Too long however it is tokenised: not worth the time to find out.
  if (text.length > mostCharacters) {
    const contains = `${text.length} characters (more than ${mostCharacters} characters, which is the upper bound for ${room} input tokens)`;
    throw tooLong(config.contextLength, maxTokens, contains, "", "input_text", text.length);
  }
  checkLength(leastTokens(text, served), maxTokens, config.contextLength);
  const tokens = tokenizer.encode(text, { addSpecialTokens });
  if (tokens.length === 0) throw badRequest("The decoder prompt cannot be empty");
  checkLength(tokens.length, maxTokens, config.contextLength);
  return tokens;
}

/** Checks a prompt that came as token ids. Throws ApiError 400 in vLLM's words. */
export function checkTokens(
  tokens: readonly number[],
  maxTokens: number,
  { model: { config } }: ServedModel,
): readonly number[] {
  checkMaxTokens(maxTokens, config.contextLength);
  if (tokens.length === 0) throw badRequest("The decoder prompt cannot be empty");
  const unknown = tokens.find((token) => token >= config.vocabSize);
  if (unknown !== undefined) throw badRequest(`Token id ${unknown} is out of vocabulary`);
  checkLength(tokens.length, maxTokens, config.contextLength);
  return tokens;
}

function checkMaxTokens(maxTokens: number, contextLength: number): void {
  if (maxTokens <= contextLength) return;
  throw badRequest(
    `max_tokens=${maxTokens} cannot be greater than max_model_len=${contextLength}. Please request fewer output tokens. (parameter=max_tokens, value=${maxTokens})`,
    "max_tokens",
  );
}

function checkLength(length: number, maxTokens: number, contextLength: number): void {
  if (length + maxTokens <= contextLength) return;
  const total = `, for a total of at least ${length + maxTokens} tokens`;
  throw tooLong(contextLength, maxTokens, `at least ${length} input tokens`, total, "input_tokens", length);
}

function tooLong(
  contextLength: number,
  maxTokens: number,
  contains: string,
  total: string,
  param: string,
  value: number,
) {
  return badRequest(
    `This model's maximum context length is ${contextLength} tokens. However, you requested ${maxTokens} output tokens and your prompt contains ${contains}${total}. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=${param}, value=${value})`,
    param,
  );
}
