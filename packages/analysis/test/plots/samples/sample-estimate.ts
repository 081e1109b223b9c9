import type { Estimate } from "../../../src/results/estimate.ts";

const short = (value: number): number => Math.round(1e4 * value) / 1e4 + 0;

/** A number with its interval, within [least, most]. */
export function sampleEstimate(
  value: number,
  half: number,
  counts: { n?: number; groups?: number } = {},
  [least, most] = [0, 1],
): Estimate {
  const within = (x: number): number => short(Math.min(most, Math.max(least, x)));
  return { value: within(value), low: within(value - half), high: within(value + half), ...counts };
}

export const undefinedEstimate = (reason: string): Estimate => ({
  value: null,
  low: null,
  high: null,
  reason,
});
