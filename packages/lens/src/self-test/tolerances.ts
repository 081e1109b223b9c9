/**
 * What bfloat16 and other requests in the same batch may change. Seen on vLLM 0.30 with vllm-lens 1.3: rows of one prompt
 * differ by at most 1.4 % between batches, and by nothing alone; wrong rows differ by 35 % and more.
 */
export const tolerances = {
  /** Relative error of a row that should be the same. */
  sameRow: 0.03,
  /** The worst row's error of a change that should be the vector, over the vector's length. */
  delta: 0.1,
  /** Of ‖change‖ / ‖row‖ under norm_match, over the scale. */
  ratio: 0.05,
  /** A row holds a direction from this share of its length on; natural rows hold less than a fifth. */
  holds: 0.5,
  /** Of a vector, one and two layers on: streams keep 0.6 and more, a part of a block 0.04 and less. */
  kept: 0.25,
  /** Log probabilities of a first token that should be the same, natural logarithm. */
  logprob: 0.05,
  /** Of logits that are made of the last layer, over the spread of the likeliest tokens' log probabilities. */
  logits: 0.15,
} as const;
