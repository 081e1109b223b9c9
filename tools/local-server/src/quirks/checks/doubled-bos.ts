import { defineQuirk } from "../quirk.ts";

export const doubledBos = defineQuirk({
  name: "doubled-bos",
  wrong:
    "the BOS token is put before a text twice, which moves every position by one; counts agree with each other",
  seen: "vLLM (issues 27486, 16976, 55197), Neuronpedia and TransformerLens, where a template adds a BOS and the tokenizer another",
  caught: { by: "@residua/lens", code: "double_bos", note: "where the model's BOS is known" },
});
