import { likeliest } from "./likeliest.ts";

/** One candidate: its log probability under the model itself, and its rank, 1 for the likeliest. */
export interface TokenLogprob {
  readonly token: number;
  readonly logprob: number;
  readonly rank: number;
}

/** A token that was generated or stood in the prompt, and the likeliest tokens at its place. */
export interface PositionLogprobs extends TokenLogprob {
  /** The likeliest tokens in falling order, as many as were asked for. */
  readonly top: readonly TokenLogprob[];
}

/**
 * Log probabilities of `token` and of the `count` likeliest tokens under softmax(scores), before
 * penalties, temperature and every cut. A rank counts the tokens that score at least as high, as vLLM counts.
 */
export function positionLogprobs(scores: Float32Array, token: number, count: number): PositionLogprobs {
  let highest = -Infinity;
  for (const score of scores) if (score > highest) highest = score;
  let sum = 0;
  let rank = 0;
  const own = scores[token]!;
  for (const score of scores) {
    sum += Math.exp(score - highest);
    if (score >= own) rank++;
  }
  const normaliser = highest + Math.log(sum);
  const top = likeliest(scores, Math.min(count, scores.length)).map((id, index) => ({
    token: id,
    logprob: scores[id]! - normaliser,
    rank: index + 1,
  }));
  return { token, logprob: own - normaliser, rank, top };
}
