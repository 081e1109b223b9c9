import type { CommonSettings, SteeringLens } from "../steering-common.ts";

/** Numbers of a run's distributions up to which `"auto"` reads the whole vocabulary: some seconds and 300 MB of JSON. */
const mostNumbers = 2 ** 22;
/** Likeliest tokens where that is too much: what servers allow without being told. */
const likeliest = 20;
/** A token has about this many bytes or more. */
const bytesOfToken = 3;
/** Prompt tokens that hosted servers give the whole vocabulary of, at most. */
const mostTokens = 256;

/** How many likeliest tokens of each neutral position are asked for: −1 for all, 0 for the text's own alone. */
export async function neutralCount(
  lens: SteeringLens,
  { neutral, neutralTop, model, signal }: CommonSettings,
): Promise<number> {
  if (neutral.length === 0) return 0;
  if (neutralTop !== "auto") return neutralTop === "all" ? -1 : neutralTop;
  const described = await lens.describe?.(model);
  signal?.throwIfAborted();
  const vocabulary = described?.vocabSize.value;
  if (vocabulary === undefined || lens.profile?.name === "vllm") return likeliest;
  const bytes = neutral.map((text) => new TextEncoder().encode(text).length);
  const numbers = (vocabulary * bytes.reduce((sum, length) => sum + length, 0)) / bytesOfToken;
  // Byte by byte is the most tokens that a text can have, and one more at its beginning.
  const allowed = bytes.every((length) => length + 1 <= mostTokens);
  return allowed && numbers <= mostNumbers ? -1 : likeliest;
}
