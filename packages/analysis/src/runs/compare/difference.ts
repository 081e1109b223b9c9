import type { Estimate } from "../../results/estimate.ts";

/**
 * a − b with its interval by the method of variance estimates recovery (Zou and Donner 2008): the distances of both numbers to the ends of their own intervals are added as
 * squares, so that intervals need not be symmetric. It takes both as independent: for numbers of the same rows it is rather too wide.
 * `value` is null where one of them is undefined; the interval alone where one has none.
 */
export function difference(a: Estimate, b: Estimate): Estimate {
  if (a.value === null || b.value === null)
    return {
      value: null,
      low: null,
      high: null,
      reason: a.reason ?? b.reason ?? "one of the numbers is undefined",
    };
  const value = a.value - b.value;
  if (a.low === null || a.high === null || b.low === null || b.high === null)
    return { value, low: null, high: null, reason: "one of the numbers has no interval" };
  return {
    value,
    low: value - Math.hypot(a.value - a.low, b.high - b.value),
    high: value + Math.hypot(a.high - a.value, b.value - b.low),
  };
}

/** Whether two intervals hold no number in common; null where one is missing. */
export function intervalsApart(a: Estimate, b: Estimate): boolean | null {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return null;
  return a.low > b.high || b.low > a.high;
}
