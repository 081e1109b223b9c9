/** Mean, spread, ends and quantiles of some numbers. */
export interface Summary {
  count: number;
  mean: number;
  /** Of the population (n, not n − 1). */
  sd: number;
  min: number;
  quantiles: { p01: number; p05: number; p25: number; p50: number; p75: number; p95: number; p99: number };
  max: number;
}

/** Sums are float64, in two passes; quantiles interpolate linearly, as NumPy's default does. Null of no number. Sorts `values`. */
export function summarise(values: Float64Array): Summary | null {
  const count = values.length;
  if (count === 0) return null;
  values.sort();
  const scale = scaleOf(values);
  const mean = values.reduce((sum, value) => sum + value / scale, 0) / count;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value / scale - mean) ** 2, 0) / count);
  const at = (share: number): number => sortedQuantile(values, share);
  return {
    count,
    mean: mean * scale,
    sd: sd * scale,
    min: values[0] as number,
    quantiles: {
      p01: at(0.01),
      p05: at(0.05),
      p25: at(0.25),
      p50: at(0.5),
      p75: at(0.75),
      p95: at(0.95),
      p99: at(0.99),
    },
    max: values[count - 1] as number,
  };
}

/** Squares and sums of what is divided by it are numbers: a power of two, so that nothing is rounded; 1 of all that need none. */
function scaleOf(ascending: Float64Array): number {
  const largest = Math.max(Math.abs(ascending[0] as number), Math.abs(ascending.at(-1) as number));
  const exponent = Math.floor(Math.log2(largest));
  // 2 ** -1074 is the least number, but its reciprocal is none.
  return Math.abs(exponent) <= 400 || largest === 0 ? 1 : 2 ** Math.max(-1000, exponent);
}

/** Quantile of ascending numbers. */
export function sortedQuantile(values: Float64Array | Float32Array, share: number): number {
  const place = share * (values.length - 1);
  const below = Math.floor(place);
  const low = values[below] as number;
  const high = values[Math.min(below + 1, values.length - 1)] as number;
  const part = place - below;
  // Ends of opposite signs may be further apart than any number.
  return Number.isFinite(high - low) ? low + (high - low) * part : low * (1 - part) + high * part;
}
