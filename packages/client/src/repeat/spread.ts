/** Of one quantity over several runs. */
export interface Spread {
  /** Runs that have it. */
  count: number;
  min: number;
  max: number;
  mean: number;
  /** Of the sample (divided by count − 1); undefined for one run. */
  standardDeviation: number | undefined;
}

/** Undefined when there is no value. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const count = values.length;
  if (count === 0) return undefined;
  // Taken from the first value, so that equal values have exactly their value as mean and no deviation.
  const origin = values[0] ?? 0;
  const mean = origin + values.reduce((sum, value) => sum + (value - origin), 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    count,
    min: values.reduce((a, b) => Math.min(a, b)),
    max: values.reduce((a, b) => Math.max(a, b)),
    mean,
    standardDeviation: count === 1 ? undefined : Math.sqrt(squares / (count - 1)),
  };
}
