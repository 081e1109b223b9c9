import type { Completion } from "@residua/lens";
import { ProbeError } from "../../probes/probe-error.ts";
import { areWhole, entropy, klDivergence } from "./divergence.ts";
import { onlyEntry, promptEntries, type TextLogProbability } from "./perplexity.ts";
import { likeliestTokens, wholeVocabulary, type TokenDistribution } from "./token-distribution.ts";

/** How a neutral text is read at scale 0, to be compared with. */
export interface NeutralText extends TextLogProbability {
  /** Before each token but the first. */
  distributions: TokenDistribution[];
}

/** How a neutral text moved, token by token, the first aside. */
export interface NeutralMove extends TextLogProbability {
  kl: number[];
  reverseKl: number[];
  entropyChange: number[];
  /** Compared over the whole vocabulary at every token. */
  whole: boolean;
}

/** The ids of a text's own tokens, the first aside, from a completion with `prompt_logprobs: 0`. */
export function ownTokens(completion: Completion): number[] {
  return promptEntries(completion).map((entry, place) => onlyEntry(entry, place).token);
}

/** Distributions and own tokens' log probability, from a completion with `prompt_logprobs` of the `count` likeliest or (−1) all tokens. */
export function readNeutralText(completion: Completion, own: readonly number[], count: number): NeutralText {
  const entries = promptEntries(completion);
  if (entries.length !== own.length) {
    throw new ProbeError(
      "bad_answer",
      `A neutral text has ${own.length + 1} tokens in one answer and ${entries.length + 1} in another.`,
    );
  }
  let sum = 0;
  const distributions = entries.map((entry, i) => {
    const position = i + 1;
    const logprob = entry[own[i]!]?.logprob;
    if (logprob === undefined || !Number.isFinite(logprob)) {
      throw new ProbeError(
        "bad_answer",
        `prompt_logprobs names no log probability of token ${own[i]} at position ${position}.`,
        { position },
      );
    }
    sum += logprob;
    const pairs = Object.entries(entry).map(([token, { logprob: each }]) => [Number(token), each] as const);
    const distribution = count === -1 ? wholeVocabulary(pairs) : likeliestTokens(pairs, count);
    if (distribution) return distribution;
    throw new ProbeError(
      "bad_answer",
      `prompt_logprobs: -1 asks for the whole vocabulary, and position ${position} holds ${pairs.length} tokens that are not all of it: set neutralTop to a number.`,
      { position },
    );
  });
  return { sum, tokens: entries.length, distributions };
}

/** The same text at another scale, token by token. */
export function neutralMove(now: NeutralText, before: NeutralText): NeutralMove {
  const pairs = now.distributions.map((one, i) => [one, before.distributions[i]!] as const);
  return {
    sum: now.sum,
    tokens: now.tokens,
    kl: pairs.map(([one, other]) => klDivergence(one, other)),
    reverseKl: pairs.map(([one, other]) => klDivergence(other, one)),
    entropyChange: pairs.map(([one, other]) => entropy(one) - entropy(other)),
    whole: pairs.every(([one, other]) => areWhole(one, other)),
  };
}
