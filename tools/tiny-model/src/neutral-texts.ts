import { neutralText } from "./neutral.ts";
import { randomSource } from "./random-source.ts";
import { corpusSeed } from "./split.ts";

/**
 * Plain texts whose sentences the model never saw, though it knows their parts: its perplexity on them says how much a
 * steering vector harms what it was not meant to touch.
 */
export function neutralTexts(options: { readonly count?: number; readonly seed?: number } = {}): string[] {
  const { count = 100, seed = corpusSeed } = options;
  const random = randomSource(seed);
  return Array.from({ length: count }, () => neutralText("heldOut", random));
}
