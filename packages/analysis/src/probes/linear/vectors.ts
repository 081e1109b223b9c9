/** Sums in float64. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}

/** target += scale · values. */
export function addTo(target: Float64Array, scale: number, values: ArrayLike<number>): void {
  for (let j = 0; j < target.length; j++) target[j]! += scale * values[j]!;
}

export function product(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const result = new Float64Array(a.length);
  for (let j = 0; j < result.length; j++) result[j] = a[j]! * b[j]!;
  return result;
}
