/**
 * The degrees of freedom that a variance from the sum of squared influences is worth: 2 (Σ d²)² / (Σ d⁴ − (Σ d²)²/G), that of a χ² of
 * the same relative variance (Satterthwaite 1946), from 2 to G − 1. Groups that carry most of the sum make it small.
 */
export function effectiveFreedom(influence: ArrayLike<number>): number {
  const groups = influence.length;
  let squares = 0;
  let fourths = 0;
  for (let group = 0; group < groups; group++) {
    squares += influence[group]! ** 2;
    fourths += influence[group]! ** 4;
  }
  const uncertainty = squares > 0 ? fourths / squares ** 2 - 1 / groups : 0;
  const worth = uncertainty > 0 ? 2 / uncertainty : groups - 1;
  return Math.max(2, Math.min(worth, groups - 1));
}
