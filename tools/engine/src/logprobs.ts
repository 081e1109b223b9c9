import { exponential } from "./exponential.ts";
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
 * penalties, temperature and every cut.
 */
export function positionLogprobs(scores: Float32Array, token: number, count: number): PositionLogprobs {
  const { normaliser, rank } = placeOf(scores, token);
  const top = Array.from(likeliest(scores, count), (id, index) => ({
    token: id,
    logprob: scores[id]! - normaliser,
    rank: index + 1,
  }));
  return { token, logprob: scores[token]! - normaliser, rank, top };
}

/**
 * What turns a score into a log probability when it is taken away, and a token's rank, which counts the tokens
 * that score at least as high, as vLLM counts.
 */
export function placeOf(scores: Float32Array, token: number): { normaliser: number; rank: number } {
  let highest = -Infinity;
  for (let id = 0; id < scores.length; id++) if (scores[id]! > highest) highest = scores[id]!;
  let sum = 0;
  let rank = 0;
  const own = scores[token]!;
  for (let id = 0; id < scores.length; id++) {
    sum += exponential(scores[id]! - highest);
    if (scores[id]! >= own) rank++;
  }
  return { normaliser: highest + Math.log(sum), rank };
}
