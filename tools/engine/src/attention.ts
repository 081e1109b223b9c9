import { exponential } from "./exponential.ts";
import type { KvCache } from "./kv-cache.ts";
import type { ModelConfig } from "./model-config.ts";

/**
 * Causal attention of one token over its own sequence: softmax(q·kᵀ / √headSize)·v for every head, over
 * the positions 0..position of the cache. Reads the rotated query, [heads × headSize] from `queryAt`;
 * writes [heads × headSize] from `at`. Plain loops: at these sizes a product is too short to be worth
 * a call into the backend, and no sequence can see another's rows.
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
  const query = scratch("query", headSize);
  const weights = scratch("weights", count);
  const mixed = scratch("mixed", headSize);
  for (let head = 0; head < heads; head++) {
    const base = Math.floor(head / group) * cache.capacity * headSize;
    for (let i = 0; i < headSize; i++) query[i] = queries[queryAt + head * headSize + i]! * scale;
    dotRows(query, headSize, cache.keys[layer]!, base, weights, count);
    const sum = exponentials(weights, count);
    mixRows(weights, count, cache.values[layer]!, base, mixed, headSize);
    for (let i = 0; i < headSize; i++) into[at + head * headSize + i] = mixed[i]! / sum;
  }
}

const held = {
  query: new Float64Array(128),
  weights: new Float64Array(1024),
  mixed: new Float64Array(128),
};

/** At least `length` numbers to work in, the same ones each time: attention is called for every token and layer. */
function scratch(name: keyof typeof held, length: number): Float64Array {
  if (held[name].length < length) held[name] = new Float64Array(2 * length);
  return held[name];
}

/** products[r] = vector · row r; four rows at a time, so that the additions do not wait for each other. */
function dotRows(
  vector: Float64Array,
  size: number,
  rows: Float32Array,
  base: number,
  products: Float64Array,
  count: number,
): void {
  let r = 0;
  for (; r + 3 < count; r += 4) {
    const row = base + r * size;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < size; i++) {
      const value = vector[i]!;
      a += value * rows[row + i]!;
      b += value * rows[row + size + i]!;
      c += value * rows[row + 2 * size + i]!;
      d += value * rows[row + 3 * size + i]!;
    }
    products[r] = a;
    products[r + 1] = b;
    products[r + 2] = c;
    products[r + 3] = d;
  }
  for (; r < count; r++) {
    let a = 0;
    for (let i = 0; i < size; i++) a += vector[i]! * rows[base + r * size + i]!;
    products[r] = a;
  }
}

/** Turns scores into exp(score − highest) in place; returns their sum. */
function exponentials(scores: Float64Array, count: number): number {
  let highest = -Infinity;
  for (let r = 0; r < count; r++) if (scores[r]! > highest) highest = scores[r]!;
  let sum = 0;
  for (let r = 0; r < count; r++) sum += scores[r] = exponential(scores[r]! - highest);
  return sum;
}

/** mixed = Σ weights[r] × row r, four rows at a time. */
function mixRows(
  weights: Float64Array,
  count: number,
  rows: Float32Array,
  base: number,
  mixed: Float64Array,
  size: number,
): void {
  mixed.fill(0, 0, size);
  let r = 0;
  for (; r + 3 < count; r += 4) {
    const row = base + r * size;
    const a = weights[r]!;
    const b = weights[r + 1]!;
    const c = weights[r + 2]!;
    const d = weights[r + 3]!;
    for (let i = 0; i < size; i++) {
      mixed[i]! +=
        a * rows[row + i]! +
        b * rows[row + size + i]! +
        c * rows[row + 2 * size + i]! +
        d * rows[row + 3 * size + i]!;
    }
  }
  for (; r < count; r++) {
    for (let i = 0; i < size; i++) mixed[i]! += weights[r]! * rows[base + r * size + i]!;
  }
}
