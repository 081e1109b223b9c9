import { defineQuirk } from "../quirk.ts";

export const doubledBos = defineQuirk({
  name: "doubled-bos",
  wrong:
    "the BOS token is put before a text twice, which moves every position by one; counts agree with each other",
  seen: "vLLM (issues 27486, 16976, 55197), Neuronpedia and TransformerLens, where a template adds a BOS and the tokenizer another",
  caught: {
    by: null,
    note: "lens refuses a BOS that the prompt brings; one that the server adds shows as token 1 of the capture",
  },
});
