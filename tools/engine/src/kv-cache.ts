import type { ModelConfig } from "./model-config.ts";

export type CacheShape = Pick<ModelConfig, "layers" | "keyValueHeads" | "headSize">;

/**
 * Keys (rotated) and values of the tokens that one sequence has run, for each layer
 * [keyValueHeads, capacity, headSize]: a head's rows lie together, as attention reads them.
 */
export interface KvCache {
  readonly capacity: number;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}

/** Bytes of a cache of `capacity` tokens. */
export function kvCacheBytes(shape: CacheShape, capacity: number): number {
  return 2 * 4 * shape.layers * shape.keyValueHeads * shape.headSize * capacity;
}

export function createKvCache(shape: CacheShape, capacity: number): KvCache {
  const make = () =>
    Array.from(
      { length: shape.layers },
      () => new Float32Array(shape.keyValueHeads * shape.headSize * capacity),
    );
  return { capacity, keys: make(), values: make() };
}

/** Writes one token's keys and values, [keyValueHeads × headSize] from `keyAt` and `valueAt` of `row`. */
export function writeKvCache(
  cache: KvCache,
  shape: CacheShape,
  layer: number,
  position: number,
  row: Float32Array,
  keyAt: number,
  valueAt: number,
): void {
  const { headSize, keyValueHeads } = shape;
  const keys = cache.keys[layer]!;
  const values = cache.values[layer]!;
  for (let head = 0; head < keyValueHeads; head++) {
    const to = (head * cache.capacity + position) * headSize;
    for (let i = 0; i < headSize; i++) {
      keys[to + i] = row[keyAt + head * headSize + i]!;
      values[to + i] = row[valueAt + head * headSize + i]!;
    }
  }
}

/** A copy of the first `positions` tokens, with room for `capacity`: choices share their prompt's pass. */
export function forkKvCache(cache: KvCache, shape: CacheShape, positions: number, capacity: number): KvCache {
  const fork = createKvCache(shape, capacity);
  const used = positions * shape.headSize;
  for (const part of ["keys", "values"] as const) {
    cache[part].forEach((source, layer) => {
      for (let head = 0; head < shape.keyValueHeads; head++) {
        const from = head * cache.capacity * shape.headSize;
        fork[part][layer]!.set(source.subarray(from, from + used), head * capacity * shape.headSize);
      }
    });
  }
  return fork;
}

/** A copy of the rows of `count` tokens from `start`, [keys and values, layers, keyValueHeads, count, headSize]. */
export function copyKvBlock(cache: KvCache, shape: CacheShape, start: number, count: number): Float32Array {
  const size = count * shape.headSize;
  const block = new Float32Array(2 * shape.layers * shape.keyValueHeads * size);
  eachHeadRun(cache, shape, start, count, (rows, index) => block.set(rows, index * size));
  return block;
}

/** Writes what copyKvBlock copied. */
export function pasteKvBlock(
  cache: KvCache,
  shape: CacheShape,
  start: number,
  count: number,
  block: Float32Array,
): void {
  const size = count * shape.headSize;
  eachHeadRun(cache, shape, start, count, (rows, index) =>
    rows.set(block.subarray(index * size, (index + 1) * size)),
  );
}

/** Visits the rows of `count` tokens from `start` of each head, all keys before all values. */
function eachHeadRun(
  cache: KvCache,
  { keyValueHeads, headSize }: CacheShape,
  start: number,
  count: number,
  visit: (rows: Float32Array, index: number) => void,
): void {
  let index = 0;
  for (const layer of [...cache.keys, ...cache.values]) {
    for (let head = 0; head < keyValueHeads; head++) {
      const from = (head * cache.capacity + start) * headSize;
      visit(layer.subarray(from, from + count * headSize), index++);
    }
  }
}
