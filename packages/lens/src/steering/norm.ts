/** Euclidean norm, summed in float64. */
export function norm(values: ArrayLike<number>): number {
  return Math.sqrt(dot(values, values));
}

/** Summed in float64. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

export function isZero(values: ArrayLike<number>): boolean {
  return dot(values, values) === 0;
}
