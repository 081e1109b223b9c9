import { exponential } from "./exponential.ts";
import { likeliest } from "./likeliest.ts";
import type { Random } from "./random.ts";

export interface SamplingOptions {
  /** 0 takes the likeliest token; higher values sample rarer tokens more often. */
  readonly temperature: number;
  /** Sample from the smallest set of likeliest tokens whose probabilities reach this; 1 for all. */
  readonly topP: number;
  /** Sample from this many likeliest tokens, and all that are as likely as the last of them; 0 or -1 for all. */
  readonly topK: number;
  /** Leave out tokens less likely than this fraction of the likeliest; 0 for none. */
  readonly minP: number;
}

type Scores = Float32Array | Float64Array;

/** Below this temperature the likeliest token is taken, as vLLM does. */
const greedyBelow = 1e-5;

/** The index of the highest score; the first of equals. */
export function argmax(scores: Scores): number {
  let best = 0;
  for (let i = 1; i < scores.length; i++) if (scores[i]! > scores[best]!) best = i;
  return best;
}

/** Draws a token. Scores [vocabSize], finite, after the penalties. */
export function sampleToken(scores: Scores, options: SamplingOptions, random: Random): number {
  if (options.temperature < greedyBelow) return argmax(scores);
  const { tokens, weights } = samplingWeights(scores, options);
  const index = draw(weights, random);
  return tokens === null ? index : tokens[index]!;
}

/**
 * The tokens that can be drawn and their weights, in proportion to their probabilities. `tokens` null
 * means the whole vocabulary in order. As vLLM: softmax(scores / temperature), then min_p, top_k, top_p,
 * each on what the one before it left.
 */
export function samplingWeights(
  scores: Scores,
  { temperature, topP, topK, minP }: SamplingOptions,
): { tokens: readonly number[] | null; weights: Float64Array } {
  let highest = -Infinity;
  for (let i = 0; i < scores.length; i++) if (scores[i]! > highest) highest = scores[i]!;
  // A plain loop: over a large vocabulary it takes a fraction of the time of from().
  const weights = new Float64Array(scores.length);
  for (let i = 0; i < weights.length; i++) weights[i] = exponential((scores[i]! - highest) / temperature);
  const cutsTopK = topK > 0 && topK < scores.length;
  if (minP === 0 && !cutsTopK && topP >= 1) return { tokens: null, weights };
  const lowest = cutsTopK ? scores[likeliest(scores, topK).at(-1)!]! : -Infinity;
  let tokens: number[] = [];
  weights.forEach((weight, token) => {
    if (weight >= minP && scores[token]! >= lowest) tokens.push(token);
  });
  if (topP < 1) tokens = nucleus(weights, tokens, topP);
  return { tokens, weights: Float64Array.from(tokens, (token) => weights[token]!) };
}

/** The likeliest of `tokens`, in falling order, up to and including the one that reaches topP. */
function nucleus(weights: Float64Array, tokens: readonly number[], topP: number): number[] {
  const total = tokens.reduce((sum, token) => sum + weights[token]!, 0);
  // All tokens below this together hold less than 1 − topP, so none of them can be needed.
  const floor = ((1 - topP) * total) / tokens.length;
  const likely = tokens.filter((token) => weights[token]! >= floor);
  likely.sort((a, b) => weights[b]! - weights[a]! || a - b);
  let sum = 0;
  const size = likely.findIndex((token) => (sum += weights[token]!) >= topP * total);
  return size < 0 ? likely : likely.slice(0, size + 1);
}

function draw(weights: Float64Array, random: Random): number {
  let total = 0;
  for (let i = 0; i < weights.length; i++) total += weights[i]!;
  let left = random() * total;
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    last = i;
    left -= weights[i]!;
    if (left < 0) return i;
  }
  return last;
}
