import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { type TokenBounds, tokenBounds } from "../limits/capture-limit.ts";

interface CountedPrompt {
  model: string | undefined;
  prompt: string | readonly number[];
  addSpecialTokens: boolean;
}

/** What is done at every position (null) or at those that are named. */
interface Placed {
  readonly positions: readonly number[] | null;
}

/** All that a request does to the stream. */
export const edits = (...of: readonly (readonly Placed[] | undefined)[]): Placed[] =>
  of.flatMap((some) => some ?? []);

/**
 * How many tokens the prompt has that vectors go into. A text is counted where a vector names positions, by the client's tokenizer
 * or the server; where neither can, and for other vectors, the bounds of its bytes are left.
 */
export async function exactTokens(
  { client }: Pick<LensCore, "client">,
  vectors: readonly Placed[] | undefined,
  { model, prompt, addSpecialTokens }: CountedPrompt,
  { signal }: LensOptions,
): Promise<TokenBounds> {
  const named = vectors?.some(({ positions }) => positions !== null) ?? false;
  if (!named || typeof prompt !== "string") return tokenBounds(prompt, addSpecialTokens);
  return client.countTokens(prompt, {
    addSpecialTokens,
    ...(model !== undefined && { model }),
    ...(signal && { signal }),
  });
}
