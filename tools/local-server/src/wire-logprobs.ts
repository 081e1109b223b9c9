import type { PositionLogprobs, Tokenizer } from "@residua/engine";

/** The `logprobs` object of a choice, or of a part of it in a stream: one entry a token. */
export interface WireLogprobs {
  /** Where each token's text begins, in code points. */
  readonly text_offset: readonly number[];
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly (number | null)[];
  readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[];
}

/** The lowest log probability that JSON carries. */
const logprobFloor = -9999;
export const atLeast = (logprob: number) => Math.max(logprob, logprobFloor);

/** `end` is the offset after the last token: where the next part of a stream goes on. */
export function wireLogprobs(
  tokens: readonly number[],
  entries: readonly (PositionLogprobs | null)[],
  count: number,
  tokenizer: Tokenizer,
  start = 0,
): { logprobs: WireLogprobs; end: number } {
  const texts = tokens.map((token) => tokenizer.decode([token]));
  let end = start;
  const offsets = texts.map((text) => {
    const offset = end;
    end += [...text].length;
    return offset;
  });
  const logprobs = {
    text_offset: offsets,
    tokens: texts,
    token_logprobs: entries.map((entry) => entry && atLeast(entry.logprob)),
    top_logprobs: entries.map((entry) => entry && topByText(entry, count, tokenizer)),
  };
  return { logprobs, end };
}

/** Keyed by text: ids that decode to one text fall together, the likeliest stays. The token itself is always in. */
function topByText(entry: PositionLogprobs, count: number, tokenizer: Tokenizer): Record<string, number> {
  const byText = new Map<string, number>();
  for (const { token, logprob } of candidates(entry, count)) {
    const text = tokenizer.decode([token]);
    if (!byText.has(text)) byText.set(text, atLeast(logprob));
  }
  return Object.fromEntries(byText);
}

/** The `count` likeliest tokens, and the position's own when it is not among them. */
export function candidates(entry: PositionLogprobs, count: number) {
  const top = entry.top.slice(0, count);
  return top.some(({ token }) => token === entry.token) ? top : [...top, entry];
}
