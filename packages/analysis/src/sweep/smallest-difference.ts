import type { Estimate } from "../results/estimate.ts";

/** Of the normal distribution: 97.5 % and 80 % lie below these. */
const [twoSided, power] = [1.959964, 0.841621];

/**
 * The least difference of two independent scores, both as uncertain as this one, that a two-sided test at 5 % would find with 80 % power:
 * (1.96 + 0.84) · √2 · s, where s is the interval's width over 2 · 1.96.
 */
export function smallestDifference({ low, high, reason }: Estimate): {
  value: number | null;
  reason?: string;
} {
  if (low === null || high === null) return { value: null, reason: reason ?? "the score has no interval" };
  if (high === low) return { value: null, reason: "the interval has no width" };
  return { value: ((twoSided + power) * Math.SQRT2 * (high - low)) / (2 * twoSided) };
}
