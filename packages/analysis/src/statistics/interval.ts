/**
 * The interval that holds the middle `level` of the values, by linear interpolation between order statistics
 * (the default of `numpy.quantile`). Null when there is no value.
 */
export function interval(values: readonly number[], level = 0.95): { low: number; high: number } | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return { low: quantile(sorted, (1 - level) / 2), high: quantile(sorted, (1 + level) / 2) };
}

function quantile(sorted: Float64Array, q: number): number {
  const at = q * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (at - below) * (high - low);
}
