import { ResiduaError } from "../residua-error.ts";
import type { Choice, ContentLogprob, ListedLogprobs } from "./completion.ts";
import { locateTokens, type TextOffset } from "./locate-tokens.ts";
import { spellToken } from "./spell-token.ts";
import { tokenPieces } from "./token-pieces.ts";

/** A token and its log probability, natural. −9999 is the least that servers send and stands for all below. */
export interface TokenLogprob {
  /** As the server names it: its text, "" or U+FFFD within a character, or `token_id:<id>`. */
  token: string;
  id: number | undefined;
  /** Undefined for the first token of an echoed prompt: nothing predicts it. */
  logprob: number | undefined;
  /** Its UTF-8 bytes, where the server tells them. */
  bytes: readonly number[] | undefined;
}

export interface TokenReading extends TokenLogprob {
  /**
   * The likeliest tokens at its place that the server listed, likeliest first; the token itself is not always among
   * them. Of several tokens of one name a completion-shaped answer shows one (vLLM: `return_tokens_as_token_ids` shows all).
   */
  top: (TokenLogprob & { logprob: number })[];
  /**
   * Where it begins in the choice's text; a token that begins within a character, where that character does. Found from
   * the tokens and the text, not from `text_offset`. Undefined where it cannot be told.
   */
  offset: TextOffset | undefined;
}

/**
 * One reading of a choice's log probabilities, completion-shaped or chat-shaped: one entry for each token, with `echo`
 * those of the prompt first. There may be more tokens than text: a stop text is cut off the text, an end-of-text token has
 * none. Undefined when the choice has no log probabilities. Throws ResiduaError `logprobs_mismatch` when the lists of one
 * choice differ in length.
 */
export function readLogprobs(choice: Choice): TokenReading[] | undefined {
  const { logprobs } = choice;
  if (!logprobs) return undefined;
  if (logprobs.tokens !== undefined) {
    const entries = listedEntries(logprobs, choice);
    return withOffsets(entries, choice, false);
  }
  if (!logprobs.content) return undefined;
  const entries = logprobs.content.map((entry) => (entry ? contentEntry(entry) : nothing()));
  return withOffsets(entries, choice, true);
}

type Entry = Omit<TokenReading, "offset">;

function withOffsets(entries: readonly Entry[], { text }: Choice, early: boolean): TokenReading[] {
  const pieces = tokenPieces(entries.map(({ token, bytes }) => spellToken(token, bytes)));
  const offsets = pieces && locateTokens(pieces, text, { early });
  return entries.map((entry, i) => ({ ...entry, offset: offsets?.[i] }));
}

function listedEntries(logprobs: ListedLogprobs, choice: Choice): Entry[] {
  const { tokens, token_logprobs: own, top_logprobs: top, text_offset: offsets } = logprobs;
  for (const [name, list] of Object.entries({
    token_logprobs: own,
    top_logprobs: top,
    text_offset: offsets,
  })) {
    if (!list || list.length === tokens.length) continue;
    throw new ResiduaError(
      "logprobs_mismatch",
      `choices[${choice.index}].logprobs: ${tokens.length} tokens and ${list.length} ${name}; they cannot be paired`,
      { index: choice.index, tokens: tokens.length, [name]: list.length },
    );
  }
  const ids = toldIds(choice, own);
  return tokens.map((token, i) => {
    const { id, bytes } = spellToken(token);
    return { token, id: id ?? ids?.[i], logprob: own[i] ?? undefined, bytes, top: listedTop(top?.[i]) };
  });
}

/** In falling order: an object's keys do not keep theirs when a token is a number. */
function listedTop(byName: Readonly<Record<string, number>> | null | undefined): TokenReading["top"] {
  return Object.entries(byName ?? {})
    .map(([token, logprob]) => ({ token, ...idAndBytes(token), logprob }))
    .sort(likelierFirst);
}

function contentEntry({ token, logprob, bytes, top_logprobs: top }: ContentLogprob): Entry {
  return {
    token,
    ...idAndBytes(token, bytes),
    logprob,
    top: (top ?? [])
      .map((other) => ({
        token: other.token,
        ...idAndBytes(other.token, other.bytes),
        logprob: other.logprob,
      }))
      .sort(likelierFirst),
  };
}

function idAndBytes(token: string, told?: readonly number[] | null) {
  const { id, bytes } = spellToken(token, told);
  return { id, bytes };
}

/** A chat-shaped entry that is null: a token of which nothing is said. */
function nothing(): Entry {
  return { token: "", id: undefined, logprob: undefined, bytes: undefined, top: [] };
}

/** The ids of the listed tokens, where the answer tells them beside. A prompt is listed when its first token has no logprob. */
function toldIds(choice: Choice, own: readonly (number | null)[]): readonly number[] | undefined {
  const { token_ids: generated, prompt_token_ids: prompt } = choice;
  const echoed = own[0] === null;
  if (!echoed) return generated?.length === own.length ? generated : undefined;
  if (!prompt) return undefined;
  // Echo with max_tokens 0 runs one token and lists none.
  if (prompt.length === own.length) return prompt;
  return prompt.length + (generated?.length ?? 0) === own.length
    ? [...prompt, ...(generated ?? [])]
    : undefined;
}

function likelierFirst(a: { logprob: number }, b: { logprob: number }): number {
  return b.logprob - a.logprob;
}
