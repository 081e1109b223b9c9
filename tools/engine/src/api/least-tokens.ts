import type { ServedModel } from "./served-model.ts";

/** Tokens at the end of a text's beginning that may be others where the text goes on. */
const unsure = 64;

/**
 * A number of tokens that a text has at least. To tokenise all of a very long text would hold everybody up, and its
 * beginning is enough to see that it is too long.
 */
export function leastTokens(text: string, { model: { config, tokenizer } }: ServedModel): number {
  const least = Math.ceil(text.length / tokenizer.longestToken);
  const beginning = 8 * config.contextLength;
  if (least > config.contextLength || text.length <= beginning) return least;
  const tokens = tokenizer.encode(text.slice(0, beginning), { addSpecialTokens: false });
  return Math.max(least, tokens.length - unsure);
}
