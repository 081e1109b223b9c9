/**
 * Whole shares of a whole total in proportion to the weights, by largest remainder: they add up to the total, and each is
 * less than 1 from its quota. Weights that are all zero count as equal.
 */
export function shareOut(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  const even = sum > 0 ? undefined : 1 / weights.length;
  const quotas = weights.map((weight) => total * (even ?? weight / sum));
  const shares = quotas.map(Math.floor);
  let left = total - shares.reduce((a, b) => a + b, 0);
  const order = quotas
    .map((quota, i) => ({ i, rest: quota - Math.floor(quota) }))
    .sort((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of order) {
    if (left <= 0) break;
    shares[i] = (shares[i] ?? 0) + 1;
    left--;
  }
  return shares;
}
