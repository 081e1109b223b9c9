import { randomBytes } from "node:crypto";
import type { Generation } from "../generation-request.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { PreparedCompletion } from "./prepared-completion.ts";
import type { ServedModel } from "./served-model.ts";

/** The fields that a completion begins with, and each chunk of a stream. */
export function completionHead({ checkpoint }: ServedModel) {
  return {
    id: `cmpl-${randomBytes(8).toString("hex")}`,
    object: "text_completion",
    created: Math.floor(Date.now() / 1000),
    model: checkpoint,
  };
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Each prompt counts once, however many choices it has. */
export function usageOf({ prompts }: PreparedCompletion, generatedTokens: number): Usage {
  const promptTokens = prompts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: generatedTokens,
    total_tokens: promptTokens + generatedTokens,
  };
}

/** Each choice's tokens in full. */
export function completionUsage(prepared: PreparedCompletion, generations: readonly Generation[]): Usage {
  const choices = generations.flatMap(({ choices }) => choices);
  return usageOf(
    prepared,
    choices.reduce((sum, { tokens }) => sum + tokens.length, 0),
  );
}

/** What `echo` puts before the text of each choice. */
export function echoedText({ tokens, text }: PreparedCompletion["prompts"][number], tokenizer: Tokenizer) {
  return text ?? tokenizer.decode(tokens);
}
