import { expect, test } from "vitest";
import { createKvCache, writeKvCache, type KvCache } from "../src/kv-cache.ts";
import { PrefixCache, prefixBlockTokens } from "../src/prefix-cache.ts";

const shape = { layers: 2, keyValueHeads: 3, headSize: 4 };
const width = shape.keyValueHeads * shape.headSize;
const blockBytes = 2 * 4 * shape.layers * width * prefixBlockTokens;

/** A cache of `tokens` rows, every number of which is different. */
function filled(tokens: number, seed: number, capacity = tokens): KvCache {
  const cache = createKvCache(shape, capacity);
  for (let layer = 0; layer < shape.layers; layer++) {
    for (let position = 0; position < tokens; position++) {
      const row = Float32Array.from({ length: 2 * width }, (_, i) => seed + layer * 1e5 + position * 100 + i);
      writeKvCache(cache, shape, layer, position, row, 0, width);
    }
  }
  return cache;
}

test("blocks come back into a cache of another capacity, row by row", () => {
  const prefixes = new PrefixCache(shape, 10 * blockBytes);
  prefixes.write(["a", "b"], filled(40, 0.5));
  expect(prefixes.bytes).toBe(2 * blockBytes);
  const into = createKvCache(shape, 51);
  expect(prefixes.read(["a", "b", "c"], into)).toBe(32);
  expect(into).toEqual(filled(32, 0.5, 51));
});

test("a block is found only behind all those before it", () => {
  const prefixes = new PrefixCache(shape, 10 * blockBytes);
  prefixes.write(["a", "b", "c"], filled(48, 1));
  expect(prefixes.read(["x", "b", "c"], createKvCache(shape, 48))).toBe(0);
  expect(prefixes.read(["a", "x", "c"], createKvCache(shape, 48))).toBe(16);
});

test("what was not used for longest goes first, of one sequence the end before the beginning", () => {
  const prefixes = new PrefixCache(shape, 4 * blockBytes);
  const find = (...names: string[]) => prefixes.read(names, createKvCache(shape, 16 * names.length));
  prefixes.write(["a", "b"], filled(32, 1));
  prefixes.write(["c", "d"], filled(32, 2));
  find("a", "b");
  prefixes.write(["e"], filled(16, 3));
  expect(prefixes.bytes).toBe(4 * blockBytes);
  expect([find("c", "d"), find("a", "b"), find("e")]).toEqual([16, 32, 16]);
});

test("never holds more than its bytes, and of a sequence too long for it the beginning", () => {
  const prefixes = new PrefixCache(shape, 2.5 * blockBytes);
  prefixes.write(["a", "b", "c", "d"], filled(64, 1));
  expect(prefixes.bytes).toBe(2 * blockBytes);
  expect(prefixes.read(["a", "b", "c", "d"], createKvCache(shape, 64))).toBe(32);
  prefixes.limit(blockBytes);
  expect(prefixes.read(["a", "b"], createKvCache(shape, 32))).toBe(16);
  prefixes.limit(0);
  prefixes.write(["a"], filled(16, 1));
  expect(prefixes.bytes).toBe(0);
});
