/** The `count` ids of the highest scores in falling order, of equals the lower id first. */
export function likeliest(scores: Float32Array | Float64Array, count: number): number[] {
  if (count === 0) return [];
  const order = (a: number, b: number) => scores[b]! - scores[a]! || a - b;
  if (count * 8 > scores.length) {
    return Array.from(scores, (_, id) => id)
      .sort(order)
      .slice(0, count);
  }
  // Few of many: keep candidates above the lowest of the best found so far, and sort now and then.
  let candidates: number[] = [];
  let floor = -Infinity;
  for (let id = 0; id < scores.length; id++) {
    if (!(scores[id]! > floor) && candidates.length >= count) continue;
    candidates.push(id);
    if (candidates.length >= 4 * count) {
      candidates = candidates.sort(order).slice(0, count);
      floor = scores[candidates.at(-1)!]!;
    }
  }
  return candidates.sort(order).slice(0, count);
}
