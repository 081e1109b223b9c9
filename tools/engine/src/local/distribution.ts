import { exponential } from "../exponential.ts";

/** softmax(scores), summed in float64. */
export interface Distribution {
  readonly scores: Float32Array;
  /** log p = score − normaliser, in nats. */
  readonly normaliser: number;
  /** H = −Σ p log p, in nats. */
  readonly entropy: number;
}

/** The distribution over the whole vocabulary. `into` is filled with its probabilities, where it is given. */
export function distribution(scores: Float32Array, into?: Float64Array): Distribution {
  let highest = -Infinity;
  for (let id = 0; id < scores.length; id++) if (scores[id]! > highest) highest = scores[id]!;
  let sum = 0;
  let mean = 0;
  for (let id = 0; id < scores.length; id++) {
    const weight = exponential(scores[id]! - highest);
    if (into !== undefined) into[id] = weight;
    sum += weight;
    mean += weight * (scores[id]! - highest);
  }
  if (into !== undefined) for (let id = 0; id < scores.length; id++) into[id]! /= sum;
  return { scores, normaliser: highest + Math.log(sum), entropy: Math.log(sum) - mean / sum };
}

/** KL(p ‖ q) = Σ p (log p − log q), in nats; `probabilities` are those of p. */
export function divergence(p: Distribution, probabilities: Float64Array, q: Distribution): number {
  let difference = 0;
  for (let id = 0; id < probabilities.length; id++)
    difference += probabilities[id]! * (p.scores[id]! - q.scores[id]!);
  return difference + q.normaliser - p.normaliser;
}
