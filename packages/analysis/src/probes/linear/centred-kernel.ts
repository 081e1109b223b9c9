import type { RowSpread } from "./row-spread.ts";
import type { Kernel } from "./shifted-systems.ts";

/**
 * √v · (K − means) · √v of the spread's rows of `gram` (`[rows, rows]`, its lower half), centred in float64. The direction that centring
 * takes out, √v, which no right side has, stands at the level of the others: a factor has no eigenvalue of 0 to cope with.
 */
export function centredKernel(gram: ArrayLike<number>, { weights, total }: RowSpread): Kernel {
  const all = weights.length;
  const rows = Uint32Array.from([...weights.keys()].filter((row) => weights[row]! > 0));
  const size = rows.length;
  const own = Float64Array.from(rows, (row) => weights[row]!);
  const means = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const start = rows[i]! * all;
    const share = own[i]! / total;
    let sum = own[i]! * gram[start + rows[i]!]!;
    for (let k = 0; k < i; k++) {
      const value = gram[start + rows[k]!]!;
      sum += own[k]! * value;
      means[k]! += share * value;
    }
    means[i]! += sum / total;
  }
  const grand = means.reduce((sum, mean, i) => sum + own[i]! * mean, 0) / total;
  let trace = 0;
  for (let i = 0; i < size; i++) trace += own[i]! * (gram[rows[i]! * (all + 1)]! - 2 * means[i]! + grand);
  // √v·√v of unit length is √v·√v / total.
  const lift = grand + trace / size / total;
  const roots = own.map(Math.sqrt);
  const values = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const start = rows[i]! * all;
    for (let k = 0; k <= i; k++) {
      const lifted = gram[start + rows[k]!]! - means[i]! - means[k]! + lift;
      values[i * size + k] = values[k * size + i] = roots[i]! * roots[k]! * lifted;
    }
  }
  return { size, values };
}
