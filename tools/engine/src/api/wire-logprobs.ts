import type { PositionLogprobs, TokenLogprob } from "../logprobs.ts";
import type { TokenName } from "./token-name.ts";

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

/** The position's own token first, then the likeliest others, as many as asked for. */
export function ownFirst(entry: PositionLogprobs, count: number): readonly TokenLogprob[] {
  return [entry, ...entry.top.slice(0, count).filter(({ token }) => token !== entry.token)];
}

/** What of a choice's tokens is shown in one part of an answer. */
export interface ShownTokens {
  readonly tokens: readonly number[];
  readonly entries: readonly (PositionLogprobs | null)[];
  /** The choice's tokens before these, as far as they were shown. */
  readonly before: readonly number[];
}

/** The `logprobs` of a completion. `end` is where the next part of a stream goes on, in code points. */
export function completionLogprobs(
  { tokens, entries, before }: ShownTokens,
  count: number,
  name: TokenName,
  start = 0,
): { logprobs: WireLogprobs; end: number } {
  const all = [...before, ...tokens];
  const nameAt = (token: number, i: number) => name(token, contextAt(all, before.length + i));
  const names = tokens.map(nameAt);
  let end = start;
  const offsets = names.map((text) => {
    const offset = end;
    end += [...text].length;
    return offset;
  });
  const logprobs = {
    text_offset: offsets,
    token_logprobs: entries.map((entry) => entry && atLeast(entry.logprob)),
    tokens: names,
    top_logprobs: entries.map((entry, i) => {
      if (entry === null) return null;
      const byName = new Map<string, number>();
      for (const { token, logprob } of ownFirst(entry, count)) {
        const text = nameAt(token, i);
        // Tokens of one text fall together; the first stays.
        if (!byName.has(text)) byName.set(text, atLeast(logprob));
      }
      return Object.fromEntries(byName);
    }),
  };
  return { logprobs, end };
}

/** The tokens before one, as many as a name can need. */
export function contextAt(tokens: readonly number[], at: number): readonly number[] {
  return tokens.slice(Math.max(0, at - 3), at);
}
