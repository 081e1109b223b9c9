/** Arithmetic of float64 vectors of equal length. */

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
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
