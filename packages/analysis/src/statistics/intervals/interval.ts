import { ProbeError } from "../../probes/probe-error.ts";

/**
 * The interval that holds the middle `level` of the values, by linear interpolation between order statistics
 * (the default of `numpy.quantile`). Null when there is no value. Throws `not_finite` on NaN and infinity: what is undefined must be
 * left out and counted by the caller.
 */
export function interval(values: ArrayLike<number>, level = 0.95): { low: number; high: number } | null {
  if (!(level > 0 && level < 1)) {
    throw new ProbeError("bad_option", `level is ${level}: give a share between 0 and 1.`, { level });
  }
  if (values.length === 0) return null;
  const sorted = sortedNumbers(values);
  return { low: quantile(sorted, (1 - level) / 2), high: quantile(sorted, (1 + level) / 2) };
}

/** Ascending; throws `not_finite` on the first that is not a finite number. */
export function sortedNumbers(values: ArrayLike<number>): Float64Array {
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue;
    throw new ProbeError(
      "not_finite",
      `Value ${i} is ${String(values[i])}: an interval is of finite numbers; leave out what is undefined, and count it.`,
      { at: i },
    );
  }
  return Float64Array.from(values).sort();
}

/** The `q` quantile of ascending values, by linear interpolation. */
export function quantile(sorted: Float64Array, q: number): number {
  const at = q * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (at - below) * (high - low);
}
