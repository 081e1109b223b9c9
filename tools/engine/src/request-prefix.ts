import { nameBlocks, type StreamEdit } from "./block-names.ts";
import type { GenerationRequest } from "./generation-request.ts";
import type { KvCache } from "./kv-cache.ts";
import { prefixBlockTokens, type PrefixCache } from "./prefix-cache.ts";

/** What one request takes from the prefix cache and leaves in it. */
export interface RequestPrefix {
  /** Whether `read` looks. */
  readonly reads: boolean;
  /** Copies what is known of the prompt, its last token never; returns the tokens copied. */
  read(into: KvCache): number;
  /** Keeps the whole blocks of what a sequence has run. */
  write(tokens: readonly number[], from: KvCache): void;
}

/**
 * A capture needs the residual rows of every position and prompt log probabilities their scores, which the
 * cache does not have: such a request runs its whole prompt, and leaves it for others.
 */
export function requestPrefix(
  cache: PrefixCache,
  request: GenerationRequest,
  edits: readonly StreamEdit[],
): RequestPrefix {
  const { prompt, capture, promptLogprobs, skipPrefixCache = false, cacheSalt, faults } = request;
  const salt = JSON.stringify([cacheSalt ?? null, faults?.normMatchDelta === true]);
  const shared = faults?.shareSteeredCache === true && edits.length > 0;
  const named = shared ? [] : edits;
  const reads =
    !skipPrefixCache &&
    !shared &&
    promptLogprobs === undefined &&
    (capture === undefined || faults?.captureGap === true);
  return {
    reads,
    read: (into) => {
      const most = Math.floor((prompt.length - 1) / prefixBlockTokens) * prefixBlockTokens;
      return reads ? cache.read(nameBlocks(prompt.slice(0, most), named, salt), into) : 0;
    },
    write: (tokens, from) => cache.write(nameBlocks(tokens, named, salt), from),
  };
}
