import type { RequestOptions } from "../../client-types.ts";
import type { CheckedRequest } from "../rules/request-facts.ts";
import { countTokens } from "./count-tokens.ts";
import { textTokens } from "./text-tokens.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** How many tokens a prompt has: exactly where `least` is `most`. */
export interface PromptCount {
  least: number;
  most: number;
  /** What it rests on: the prompt's own ids, a tokenizer, the server's POST /tokenize, or the text's UTF-8 bytes. */
  source: "ids" | "tokenizer" | "server" | "bytes";
  /** Why it is not exact. */
  reason?: string;
}

export interface CountOptions extends RequestOptions {
  /** Whose tokenizer a server is asked for. Default: the server's own. */
  model?: string;
  /** Whether the model's special tokens (BOS) are added, as `add_special_tokens` says (true). */
  addSpecialTokens?: boolean;
}

export type PromptCounter = (
  prompt: string | readonly number[],
  options?: CountOptions,
) => Promise<PromptCount>;

/** `tokenizerOf` gives the server's own where it has a route for it. A tokenizer that fails leaves the bounds of the bytes. */
export function makePromptCounter(
  clientTokenizer: Tokenizer | undefined,
  tokenizerOf: (model: string | undefined) => Tokenizer | undefined,
): PromptCounter {
  return async (prompt, { model, addSpecialTokens = true, tokenizer = clientTokenizer, signal } = {}) => {
    if (typeof prompt !== "string") return { least: prompt.length, most: prompt.length, source: "ids" };
    const request: CheckedRequest = { prompt, add_special_tokens: addSpecialTokens };
    const asked = tokenizer ?? tokenizerOf(model);
    const counted = asked && (await unlessAborted(countTokens(request, asked), signal));
    const exact = counted?.tokens?.[0];
    const count = textTokens(prompt, { addSpecialTokens, exact, reason: counted?.tokensReason });
    const { least, most } = count;
    if (exact !== undefined) return { least, most, source: tokenizer ? "tokenizer" : "server" };
    const reason = count.reasons().join("; ");
    return { least, most, source: "bytes", ...(reason && { reason }) };
  };
}
