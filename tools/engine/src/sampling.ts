import type { Random } from "./random.ts";

export interface SamplingOptions {
  /** 0 takes the likeliest token; higher values sample rarer tokens more often. */
  readonly temperature: number;
  /** Sample from the smallest set of likeliest tokens whose probabilities reach this; 1 for all. */
  readonly topP: number;
}

/** Below this temperature the likeliest token is taken, as vLLM does. */
const greedyBelow = 1e-5;

/** The index of the highest score; the first of equals. */
export function argmax(scores: Float32Array): number {
  let best = 0;
  for (let i = 1; i < scores.length; i++) if (scores[i]! > scores[best]!) best = i;
  return best;
}

/** Draws a token from softmax(scores / temperature), cut to `topP`. Scores [vocabSize], finite. */
export function sampleToken(scores: Float32Array, options: SamplingOptions, random: Random): number {
  const best = argmax(scores);
  if (options.temperature < greedyBelow) return best;
  const weights = new Float64Array(scores.length);
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    total += weights[i] = Math.exp((scores[i]! - scores[best]!) / options.temperature);
  }
  if (options.topP >= 1) return draw(weights, total, random);
  const kept = nucleus(weights, total, options.topP);
  const keptWeights = Float64Array.from(kept, (token) => weights[token]!);
  return kept[
    draw(
      keptWeights,
      keptWeights.reduce((sum, weight) => sum + weight, 0),
      random,
    )
  ]!;
}

/** The likeliest tokens, in falling order, up to and including the one that reaches topP. */
function nucleus(weights: Float64Array, total: number, topP: number): number[] {
  // All tokens below this together hold less than 1 − topP, so none of them can be needed.
  const floor = ((1 - topP) * total) / weights.length;
  const likely: number[] = [];
  weights.forEach((weight, token) => {
    if (weight >= floor) likely.push(token);
  });
  likely.sort((a, b) => weights[b]! - weights[a]! || a - b);
  let sum = 0;
  const size = likely.findIndex((token) => (sum += weights[token]!) >= topP * total);
  return size < 0 ? likely : likely.slice(0, size + 1);
}

function draw(weights: Float64Array, total: number, random: Random): number {
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
