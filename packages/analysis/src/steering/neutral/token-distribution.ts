/** The next-token distribution at one position, as far as it is known: whole, or the likeliest tokens. */
export interface TokenDistribution {
  /** Token ids, ascending; null when every token of the vocabulary is there and its place is its id. */
  readonly ids: Int32Array | null;
  /** In nats, one a token of `ids`. */
  readonly logprobs: Float32Array;
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

/**
 * A distribution of (token, log probability) pairs in any order. With `whole`, null is given where they are not
 * all tokens 0 … n − 1 with a sum of 1, so that the likeliest alone are never taken for the whole vocabulary.
 */
export function tokenDistribution(
  entries: readonly (readonly [token: number, logprob: number])[],
  whole: boolean,
): TokenDistribution | null {
  const sorted = [...entries].sort((a, b) => a[0] - b[0]);
  const logprobs = Float32Array.from(sorted, ([, logprob]) => logprob);
  if (!whole) return { ids: Int32Array.from(sorted, ([token]) => token), logprobs };
  const isWhole = sorted.every(([token], place) => token === place) && Math.abs(logSumExp(logprobs)) <= slack;
  return isWhole ? { ids: null, logprobs } : null;
}
