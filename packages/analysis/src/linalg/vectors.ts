/** Arithmetic of vectors of equal length, in float64. */

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}

export function squares(values: ArrayLike<number>): number {
  return dot(values, values);
}

/** target += scale · values */
export function addScaled(target: Float64Array, scale: number, values: ArrayLike<number>): void {
  for (let j = 0; j < target.length; j++) target[j]! += scale * values[j]!;
}

export function total(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

/** Value by value. */
export function product(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const result = new Float64Array(a.length);
  for (let j = 0; j < result.length; j++) result[j] = a[j]! * b[j]!;
  return result;
}
