import type { ModelConfig } from "@residua/engine";
import type { ActiveQuirks } from "../active-quirks.ts";
import { defineQuirk } from "../quirk.ts";

export const doubledBos = defineQuirk({
  name: "doubled-bos",
  wrong:
    "the BOS token is put before a text twice, which moves every position by one; counts agree with each other",
  seen: "vLLM (issues 27486, 16976, 55197), Neuronpedia and TransformerLens, where a template adds a BOS and the tokenizer another",
  caught: { by: "@residua/lens", code: "double_bos", note: "where the model's BOS is known" },
});

/** A text's tokens as such a server has them: with a second BOS where they begin with one. */
export function doubleBos(
  tokens: readonly number[],
  { bosTokenId }: ModelConfig,
  quirks: ActiveQuirks,
): readonly number[] {
  return quirks.has("doubled-bos") && tokens[0] === bosTokenId ? [tokens[0], ...tokens] : tokens;
}
