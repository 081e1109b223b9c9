/** What an answer says of its tokens. */
export interface AnswerTokens {
  promptTokens: number;
  generatedTokens: number;
  /** Prompt tokens that the server says it read from its prefix cache. */
  cachedTokens: number | undefined;
}

/** Tokens of a prefix cache's block: 16, or a multiple. */
const leastBlock = 16;
const known =
  "Known causes: a prefix cache that skipped positions; a steering vector of the wrong width; rows of a batch mixed up";

/** Which positions have no row, as far as the numbers tell it. */
export function missingRows(
  rows: number,
  { promptTokens, generatedTokens, cachedTokens }: AnswerTokens,
): { text: string; missing?: { from: number; to: number } } {
  const expected = promptTokens + generatedTokens - 1;
  const count = expected - rows;
  if (count <= 0) return { text: known };
  const first = { from: 0, to: count - 1 };
  if (count === cachedTokens) {
    const text = `Missing are positions 0 to ${count - 1}: the server read these ${count} tokens from its prefix cache (cached_tokens) and did not run them. Switch its prefix cache off, or make each request compute every position`;
    return { text, missing: first };
  }
  if (generatedTokens > 1 && count === promptTokens) {
    const text = `As many are missing as the prompt has tokens: its ${count} rows, which a steering vector of the wrong width takes away`;
    return { text, missing: first };
  }
  if (generatedTokens > 1 && count === generatedTokens - 1) {
    const text = `As many are missing as tokens were generated, less one: the rows of positions ${promptTokens} to ${expected - 1}, which a server that streams takes away`;
    return { text, missing: { from: promptTokens, to: expected - 1 } };
  }
  if (count % leastBlock === 0 && count < promptTokens) {
    const text = `Most likely positions 0 to ${count - 1} are missing: ${count} is a whole number of blocks of a prefix cache, which skips what it holds`;
    return { text };
  }
  return { text: known };
}
