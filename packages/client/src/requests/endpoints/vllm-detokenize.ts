import * as z from "zod";
import { field } from "../fields/field.ts";
import { tokenId } from "../fields/prompt-pieces.ts";
import { sources } from "../fields/sources.ts";
import { tokenizerModel } from "../fields/tokenizer-model.ts";
import { defineEndpoint } from "./endpoint.ts";

/** POST /detokenize. A server answers ids that its vocabulary lacks with an empty text. */
export const vllmDetokenize = defineEndpoint({
  profile: "vllm",
  name: "detokenize",
  what: "detokenize request",
  route: "POST /detokenize",
  fields: {
    model: tokenizerModel,
    tokens: field(z.array(tokenId), "a list of token ids", sources.tokenize),
  },
});
