import type { Estimate } from "../results/estimate.ts";
import { interval } from "../statistics/intervals/interval.ts";

/** Mean of what is defined with the middle 95 %; the rest is counted. */
export function drawSummary(values: readonly (number | null)[], reason: string): Estimate {
  const defined = values.filter((value) => value !== null);
  const spread = interval(defined);
  const undefinedDraws = values.length - defined.length;
  if (!spread) return { value: null, low: null, high: null, n: 0, undefinedDraws, reason };
  const value = defined.reduce((sum, each) => sum + each, 0) / defined.length;
  return { value, ...spread, n: defined.length, undefinedDraws };
}

/** An estimate that cannot be had. */
export function absent(reason: string): Estimate {
  return { value: null, low: null, high: null, reason };
}
