import { logSumExp, type TokenDistribution } from "./token-distribution.ts";

/** Less than this the unnamed tokens never hold: what rounding leaves of 1 − Σ p is no probability. */
const leastRest = 1e-6;

/** Two distributions over the same outcomes: the tokens that both name, and all others as one rest, absent where all are named. */
export interface SharedOutcomes {
  /** Log probabilities under the first and the second, one an outcome. */
  first: number[];
  second: number[];
  /** Both name the whole vocabulary. */
  whole: boolean;
}

/** What two distributions can be compared over. Whole ones are normalised, so that rounding gives no negative divergence. */
export function sharedOutcomes(one: TokenDistribution, other: TokenDistribution): SharedOutcomes {
  if (one.ids === null && other.ids === null && one.logprobs.length === other.logprobs.length) {
    return { first: normalised(one.logprobs), second: normalised(other.logprobs), whole: true };
  }
  const places = new Map<number, number>();
  for (let i = 0; i < other.logprobs.length; i++) places.set(other.ids ? other.ids[i]! : i, i);
  const first: number[] = [];
  const second: number[] = [];
  for (let i = 0; i < one.logprobs.length; i++) {
    const place = places.get(one.ids ? one.ids[i]! : i);
    if (place === undefined) continue;
    first.push(one.logprobs[i]!);
    second.push(other.logprobs[place]!);
  }
  return { first: [...first, logRest(first)], second: [...second, logRest(second)], whole: false };
}

/** The outcomes the other way round. */
export function reversed({ first, second, whole }: SharedOutcomes): SharedOutcomes {
  return { first: second, second: first, whole };
}

/**
 * KL(first ‖ second) = Σ p (log p − log q), in nats. Over the tokens that both name and one rest it is at most that of the whole
 * vocabulary (the log-sum inequality: merging outcomes never raises a divergence), so it is a lower bound.
 */
export function klDivergence({ first, second }: SharedOutcomes): number {
  let sum = 0;
  for (let i = 0; i < first.length; i++) {
    const p = Math.exp(first[i]!);
    if (p > 0) sum += p * (first[i]! - second[i]!);
  }
  return Math.max(0, sum);
}

/** −Σ p log p in nats, of the named tokens and one rest; of a whole vocabulary it is exact, of the likeliest alone at most the true one. */
export function entropy(distribution: TokenDistribution): number {
  const { ids, logprobs } = distribution;
  const outcomes = ids === null ? normalised(logprobs) : [...logprobs, logRest(logprobs)];
  let sum = 0;
  for (const logprob of outcomes) {
    const p = Math.exp(logprob);
    if (p > 0) sum -= p * logprob;
  }
  return sum;
}

function normalised(logprobs: Float32Array): number[] {
  const total = logSumExp(logprobs);
  return Array.from(logprobs, (logprob) => logprob - total);
}

function logRest(named: ArrayLike<number>): number {
  return Math.log(Math.max(leastRest, 1 - Math.exp(logSumExp(named))));
}
