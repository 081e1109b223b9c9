import type { PositionLogprobs, TokenLogprob } from "@residua/engine";
import { atLeast, type WireLogprobs } from "../wire-logprobs.ts";
import type { TokenName } from "./token-name.ts";

/** The position's own token first, then the likeliest others, as many as asked for. */
function ownFirst(entry: PositionLogprobs, count: number): readonly TokenLogprob[] {
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

/** The `logprobs` of a chat choice; of the likeliest, the own token counts as one. */
export function chatLogprobs(
  { tokens, entries, before }: ShownTokens,
  count: number,
  name: TokenName,
): object {
  const all = [...before, ...tokens];
  const content = entries.map((entry, i) => {
    const shown = ({ token, logprob }: TokenLogprob) => {
      const text = name(token, contextAt(all, before.length + i));
      return { token: text, logprob: atLeast(logprob), bytes: [...Buffer.from(text)] };
    };
    return { ...shown(entry!), top_logprobs: ownFirst(entry!, count).slice(0, count).map(shown) };
  });
  return { content };
}

/** `prompt_logprobs` of either route: by token id. */
export function promptLogprobs(
  entries: readonly (PositionLogprobs | null)[],
  prompt: readonly number[],
  count: number,
  name: TokenName,
): (object | null)[] {
  return entries.map((entry, i) => {
    if (entry === null) return null;
    const before = contextAt(prompt, i);
    return Object.fromEntries(
      ownFirst(entry, count).map(({ token, logprob, rank }) => [
        token,
        { logprob: atLeast(logprob), rank, decoded_token: name(token, before) },
      ]),
    );
  });
}

/** The tokens before one, as many as a name can need. */
function contextAt(tokens: readonly number[], at: number): readonly number[] {
  return tokens.slice(Math.max(0, at - 3), at);
}
