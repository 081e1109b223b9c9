import type { PositionLogprobs, TokenLogprob } from "@residua/engine";
import { atLeast, contextAt, ownFirst, type ShownTokens, type TokenName } from "@residua/engine/api";

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
