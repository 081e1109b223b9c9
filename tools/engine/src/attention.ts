import { exponential } from "./exponential.ts";
import type { KvCache } from "./kv-cache.ts";
import type { ModelConfig } from "./model-config.ts";

/**
 * Causal attention of one token over its own sequence: softmax(q·kᵀ / √headSize)·v for every head, over
 * the positions 0..position of the cache. Reads the rotated query, [heads × headSize] from `queryAt`;
 * writes [heads × headSize] from `at`. Plain loops: at these sizes a product is too short to be worth
 * a call into the backend, and no sequence can see another's rows. Heads go in pairs where they share their
 * keys and values, so that each is read once for both; a sum's order, and so its bits, is the same in any case.
 */
export function attend(
  config: ModelConfig,
  cache: KvCache,
  layer: number,
  position: number,
  queries: Float32Array,
  queryAt: number,
  into: Float32Array,
  at: number,
): void {
  const { heads, keyValueHeads, headSize } = config;
  const group = heads / keyValueHeads;
  const scale = 1 / Math.sqrt(headSize);
  const count = position + 1;
  const keys = cache.keys[layer]!;
  const values = cache.values[layer]!;
  const query = scratch("query", 2 * headSize);
  const weights = scratch("weights", 2 * count);
  const mixed = scratch("mixed", 2 * headSize);
  for (let head = 0; head < heads;) {
    const base = Math.floor(head / group) * cache.capacity * headSize;
    // The last head of an odd group is a pair with itself.
    const second = (head + 1) % group === 0 ? head : head + 1;
    for (let i = 0; i < headSize; i++) {
      query[i] = queries[queryAt + head * headSize + i]! * scale;
      query[headSize + i] = queries[queryAt + second * headSize + i]! * scale;
    }
    dotRows(query, headSize, keys, base, weights, count);
    const sum = exponentials(weights, 0, count);
    const secondSum = exponentials(weights, count, 2 * count);
    mixRows(weights, count, values, base, mixed, headSize);
    for (let i = 0; i < headSize; i++) {
      into[at + head * headSize + i] = mixed[i]! / sum;
      into[at + second * headSize + i] = mixed[headSize + i]! / secondSum;
    }
    head = second + 1;
  }
}

const held = {
  query: new Float64Array(256),
  weights: new Float64Array(2048),
  mixed: new Float64Array(256),
};

/** At least `length` numbers to work in, the same ones each time: attention is called for every token and layer. */
function scratch(name: keyof typeof held, length: number): Float64Array {
  if (held[name].length < length) held[name] = new Float64Array(2 * length);
  return held[name];
}

/**
 * products[r] = first · row r, products[count + r] = second · row r, of the two vectors in `pair`. Four rows at a time:
 * what is loaded is used for several sums, and the sums do not wait for each other.
 */
function dotRows(
  pair: Float64Array,
  size: number,
  rows: Float32Array,
  base: number,
  products: Float64Array,
  count: number,
): void {
  let row0 = base;
  let r = 0;
  for (; r + 3 < count; r += 4) {
    const row1 = row0 + size;
    const row2 = row1 + size;
    const row3 = row2 + size;
    let first0 = 0;
    let first1 = 0;
    let first2 = 0;
    let first3 = 0;
    let second0 = 0;
    let second1 = 0;
    let second2 = 0;
    let second3 = 0;
    for (let i = 0; i < size; i++) {
      const first = pair[i]!;
      const second = pair[size + i]!;
      const value0 = rows[row0 + i]!;
      const value1 = rows[row1 + i]!;
      const value2 = rows[row2 + i]!;
      const value3 = rows[row3 + i]!;
      first0 += first * value0;
      first1 += first * value1;
      first2 += first * value2;
      first3 += first * value3;
      second0 += second * value0;
      second1 += second * value1;
      second2 += second * value2;
      second3 += second * value3;
    }
    products[r] = first0;
    products[r + 1] = first1;
    products[r + 2] = first2;
    products[r + 3] = first3;
    products[count + r] = second0;
    products[count + r + 1] = second1;
    products[count + r + 2] = second2;
    products[count + r + 3] = second3;
    row0 = row3 + size;
  }
  for (; r < count; r++, row0 += size) {
    let first = 0;
    let second = 0;
    for (let i = 0; i < size; i++) {
      first += pair[i]! * rows[row0 + i]!;
      second += pair[size + i]! * rows[row0 + i]!;
    }
    products[r] = first;
    products[count + r] = second;
  }
}

/** Turns the scores from `from` to `end` into exp(score − highest) in place; returns their sum. */
function exponentials(scores: Float64Array, from: number, end: number): number {
  let highest = -Infinity;
  for (let r = from; r < end; r++) if (scores[r]! > highest) highest = scores[r]!;
  let sum = 0;
  for (let r = from; r < end; r++) sum += scores[r] = exponential(scores[r]! - highest);
  return sum;
}

/**
 * mixed = Σ weights[r] × row r, and from `size` on Σ weights[count + r] × row r. Four columns at a time, so that their
 * sums stay in registers.
 */
function mixRows(
  weights: Float64Array,
  count: number,
  rows: Float32Array,
  base: number,
  mixed: Float64Array,
  size: number,
): void {
  let i = 0;
  for (; i + 3 < size; i += 4) {
    let first0 = 0;
    let first1 = 0;
    let first2 = 0;
    let first3 = 0;
    let second0 = 0;
    let second1 = 0;
    let second2 = 0;
    let second3 = 0;
    for (let r = 0, at = base + i; r < count; r++, at += size) {
      const first = weights[r]!;
      const second = weights[count + r]!;
      const value0 = rows[at]!;
      const value1 = rows[at + 1]!;
      const value2 = rows[at + 2]!;
      const value3 = rows[at + 3]!;
      first0 += first * value0;
      first1 += first * value1;
      first2 += first * value2;
      first3 += first * value3;
      second0 += second * value0;
      second1 += second * value1;
      second2 += second * value2;
      second3 += second * value3;
    }
    mixed[i] = first0;
    mixed[i + 1] = first1;
    mixed[i + 2] = first2;
    mixed[i + 3] = first3;
    mixed[size + i] = second0;
    mixed[size + i + 1] = second1;
    mixed[size + i + 2] = second2;
    mixed[size + i + 3] = second3;
  }
  for (; i < size; i++) {
    let first = 0;
    let second = 0;
    for (let r = 0, at = base + i; r < count; r++, at += size) {
      first += weights[r]! * rows[at]!;
      second += weights[count + r]! * rows[at]!;
    }
    mixed[i] = first;
    mixed[size + i] = second;
  }
}
