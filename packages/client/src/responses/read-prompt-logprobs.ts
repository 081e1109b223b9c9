import { ResiduaError } from "../residua-error.ts";
import type { Choice, PromptLogprobs } from "./completion.ts";
import { readLogprobs } from "./read-logprobs.ts";

/** A token that the server listed at a position of the prompt. */
export interface RankedToken {
  id: number;
  /** As the server decodes it alone; undefined where it does not. */
  text: string | undefined;
  /** Natural; −9999 stands for all below. */
  logprob: number;
  /** 1 is the likeliest. */
  rank: number | undefined;
}

/** What is known of one token of the prompt. */
export interface PromptTokenReading {
  position: number;
  /** Undefined where the answer does not tell which of several tokens the prompt's is. */
  id: number | undefined;
  text: string | undefined;
  /** Undefined at position 0, which nothing predicts, and where the token is not known. */
  logprob: number | undefined;
  rank: number | undefined;
  /** All that the server listed here (or the first `top` of them), likeliest first; the prompt's own among them. */
  top: RankedToken[];
}

/** What is known beside the answer. */
export interface PromptLogprobsOptions {
  /** The prompt's ids, where they were sent as ids. */
  promptTokenIds?: readonly number[] | undefined;
  /** The request's `prompt_logprobs`: how many of the likeliest tokens were asked for at each position. */
  asked?: number | undefined;
  /** At most so many in each `top` (all); a whole vocabulary is long. */
  top?: number | undefined;
}

/**
 * Reads `prompt_logprobs`: one entry for each token of the prompt. A position lists the likeliest tokens and, in any
 * order, the prompt's own. It is found by the ids sent (`promptTokenIds`, or the answer's `prompt_token_ids`), else where it
 * is the only one listed, or an echo's log probabilities single it out, or its rank shows it to be the one beyond those
 * asked for. Where none of this tells, `id` is undefined.
 *
 * Undefined when the choice has none. Throws ResiduaError `prompt_tokens_mismatch` when the ids are not those listed.
 */
export function readPromptLogprobs(
  choice: Choice,
  { promptTokenIds, asked, top = Infinity }: PromptLogprobsOptions = {},
): PromptTokenReading[] | undefined {
  const entries = choice.prompt_logprobs;
  if (!entries) return undefined;
  const ids = promptTokenIds ?? choice.prompt_token_ids ?? undefined;
  if (ids && ids.length !== entries.length) {
    throw mismatch(`${ids.length} token ids and log probabilities of ${entries.length} tokens`, choice);
  }
  const likeliest = asked ?? (ids ? undefined : askedOf(entries));
  const echoed = ids ? undefined : echoOf(choice, entries.length);
  return entries.map((entry, position) => {
    // One position at a time: a vocabulary at each is more than memory may hold at once.
    const tokens = entry ? ranked(entry) : [];
    const id = ids?.[position];
    const own =
      id === undefined
        ? ((echoed && byEcho(tokens, echoed[position])) ?? byRank(tokens, likeliest))
        : tokens.find((token) => token.id === id);
    if (id !== undefined && own === undefined && tokens.length > 0) {
      throw mismatch(`position ${position}: token ${id} is the prompt's and is not listed`, choice);
    }
    return {
      position,
      id: id ?? own?.id ?? echoed?.[position]?.id,
      text: own?.text,
      logprob: own?.logprob,
      rank: own?.rank,
      top: tokens.slice(0, top),
    };
  });
}

type Entry = NonNullable<PromptLogprobs[number]>;

/** By rank. A whole vocabulary has each rank once and is put in place without sorting. */
function ranked(entry: Entry): RankedToken[] {
  const tokens = Object.entries(entry).map(([id, { logprob, rank, decoded_token: text }]) => ({
    id: Number(id),
    text: text ?? undefined,
    logprob,
    rank: rank ?? undefined,
  }));
  const placed: RankedToken[] = [];
  for (const token of tokens) {
    const { rank = 0 } = token;
    if (rank >= 1 && rank <= tokens.length) placed[rank - 1] = token;
  }
  let whole = placed.length === tokens.length;
  for (let i = 0; whole && i < placed.length; i++) whole = placed[i] !== undefined;
  if (whole) return placed;
  return tokens.sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || b.logprob - a.logprob);
}

/** How many were asked for, seen where an entry has one that is not among the likeliest: it lists one more. */
function askedOf(entries: PromptLogprobs): number | undefined {
  for (const entry of entries) {
    const listed = Object.values(entry ?? {});
    if (listed.some(({ rank }) => (rank ?? 0) > listed.length)) return listed.length - 1;
  }
  return undefined;
}

/**
 * The likeliest k have the ranks 1 to k; one more is there only because it is the prompt's. When only k are there, the
 * prompt's is any of them.
 */
function byRank(tokens: readonly RankedToken[], asked: number | undefined): RankedToken | undefined {
  const last = tokens.at(-1);
  if (tokens.length <= 1) return last;
  if (last?.rank === undefined || asked === undefined || asked < 0 || tokens.length !== asked + 1)
    return undefined;
  return tokens.slice(0, -1).every(({ rank }, i) => rank === i + 1) && last.rank >= tokens.length
    ? last
    : undefined;
}

type Echo = { id: number | undefined; token: string; logprob: number | undefined }[];

/** The prompt's own tokens as an echo lists them, with their log probabilities. */
function echoOf(choice: Choice, count: number): Echo | undefined {
  const listed = choice.logprobs?.tokens && choice.logprobs.token_logprobs[0] === null;
  const tokens = listed ? readLogprobs(choice) : undefined;
  return tokens && tokens.length >= count ? tokens : undefined;
}

function byEcho(tokens: readonly RankedToken[], own: Echo[number] | undefined): RankedToken | undefined {
  if (own === undefined) return undefined;
  if (own.id !== undefined) return tokens.find(({ id }) => id === own.id);
  const like = tokens.filter(
    ({ text, logprob }) => logprob === own.logprob && (text ?? own.token) === own.token,
  );
  return like.length === 1 ? like[0] : undefined;
}

function mismatch(what: string, { index }: Choice): ResiduaError {
  return new ResiduaError("prompt_tokens_mismatch", `choices[${index}].prompt_logprobs: ${what}`, { index });
}
