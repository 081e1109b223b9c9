/** The next-token distribution at one position, as far as it is known: whole, or the likeliest tokens. */
export interface TokenDistribution {
  /** Token ids, ascending; null when every token of the vocabulary is there and its place is its id. */
  readonly ids: Int32Array | null;
  /** In nats, one a token of `ids`. */
  readonly logprobs: Float32Array;
  /** No token that is not named is likelier than this, in nats: −∞ of a whole vocabulary. */
  readonly ceiling: number;
}

/** log Σ exp(x), without overflow: the largest is taken out first. −∞ of nothing. */
export function logSumExp(values: ArrayLike<number>): number {
  let largest = -Infinity;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, values[i]!);
  if (largest === -Infinity) return -Infinity;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i]! - largest);
  return largest + Math.log(sum);
}

/** How far the probabilities of a whole vocabulary may be from a sum of 1: float32 logits give less than 1e-5. */
const slack = 1e-3;

type Entry = readonly [token: number, logprob: number];

/** Tokens among which the `count` likeliest are; others may be named too, such as a text's own token. */
export function likeliestTokens(entries: readonly Entry[], count: number): TokenDistribution {
  const falling = entries.map(([, logprob]) => logprob).sort((a, b) => b - a);
  return { ...sorted(entries), ceiling: falling[Math.min(count, falling.length) - 1] ?? 0 };
}

/** A whole vocabulary; null where the tokens are not all of 0 … n − 1 with a sum of 1, so that the likeliest alone are never taken for it. */
export function wholeVocabulary(entries: readonly Entry[]): TokenDistribution | null {
  const { ids, logprobs } = sorted(entries);
  const isWhole = ids.every((token, place) => token === place) && Math.abs(logSumExp(logprobs)) <= slack;
  return isWhole ? { ids: null, logprobs, ceiling: -Infinity } : null;
}

function sorted(entries: readonly Entry[]): { ids: Int32Array; logprobs: Float32Array } {
  const rising = [...entries].sort((a, b) => a[0] - b[0]);
  return {
    ids: Int32Array.from(rising, ([token]) => token),
    logprobs: Float32Array.from(rising, ([, logprob]) => logprob),
  };
}
