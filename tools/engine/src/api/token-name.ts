import type { Tokenizer } from "../tokenizer.ts";

/** Longest run of tokens, one byte each, that a single UTF-8 character can take. */
export const longestCharacter = 4;

/** How a token is called in log probabilities, after the tokens `before` it. */
export type TokenName = (token: number, before: readonly number[]) => string;

/**
 * A token's name is its text, or `token_id:<id>`. As vLLM has it, the text of an unfinished character is "", and the
 * token that completes the character has all of it.
 */
export function tokenNames(tokenizer: Tokenizer, asIds = false): TokenName {
  if (asIds) return (token) => `token_id:${token}`;
  const whole = (tokens: readonly number[]) => {
    const text = tokenizer.decode(tokens);
    return text.endsWith("\uFFFD") ? null : text;
  };
  return (token, before) => {
    for (let back = 0; back < Math.min(longestCharacter, before.length + 1); back++) {
      const text = whole([...before.slice(before.length - back), token]);
      if (text !== null) return text;
    }
    return "";
  };
}
