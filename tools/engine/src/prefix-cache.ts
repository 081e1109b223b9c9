import { copyKvBlock, kvCacheBytes, pasteKvBlock, type CacheShape, type KvCache } from "./kv-cache.ts";

/** Tokens of a block: what is kept, found and forgotten as one. */
export const prefixBlockTokens = 16;

/**
 * Key-value rows of prompts that were run, in blocks of `prefixBlockTokens` under the names that
 * `nameBlocks` gives them. What was not used for longest goes first.
 */
export class PrefixCache {
  readonly #shape: CacheShape;
  readonly #blockBytes: number;
  #maxBytes: number;
  /** In order of use, the last used last. */
  readonly #blocks = new Map<string, Float32Array>();

  constructor(shape: CacheShape, maxBytes: number) {
    this.#shape = shape;
    this.#blockBytes = kvCacheBytes(shape, prefixBlockTokens);
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#blocks.size * this.#blockBytes;
  }

  /** Changes the bytes that it may hold, and forgets what is over. */
  limit(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    for (const name of this.#blocks.keys()) {
      if (this.bytes <= maxBytes) return;
      this.#blocks.delete(name);
    }
  }

  /** Copies the blocks from the first on, up to one that is missing; returns their tokens. */
  read(names: readonly string[], into: KvCache): number {
    const missing = names.findIndex((name) => !this.#blocks.has(name));
    const found = missing < 0 ? names : names.slice(0, missing);
    found.forEach((name, index) =>
      pasteKvBlock(into, this.#shape, index * prefixBlockTokens, prefixBlockTokens, this.#blocks.get(name)!),
    );
    this.write(found, into);
    return found.length * prefixBlockTokens;
  }

  /** Keeps the blocks that a sequence's first tokens have filled. */
  write(names: readonly string[], from: KvCache): void {
    const room = Math.floor(this.#maxBytes / this.#blockBytes);
    // The first block last: without it those after it cannot be found, so it must be the last to go.
    for (let index = Math.min(names.length, room) - 1; index >= 0; index--) {
      const name = names[index]!;
      const block =
        this.#blocks.get(name) ??
        copyKvBlock(from, this.#shape, index * prefixBlockTokens, prefixBlockTokens);
      this.#blocks.delete(name);
      this.#blocks.set(name, block);
    }
    this.limit(this.#maxBytes);
  }

  clear(): void {
    this.#blocks.clear();
  }
}
