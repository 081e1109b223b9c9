import { field, flag, plainFlag } from "../fields/field.ts";
import { promptText } from "../fields/prompt-pieces.ts";
import { sources } from "../fields/sources.ts";
import { tokenizerModel } from "../fields/tokenizer-model.ts";
import { defineEndpoint } from "./endpoint.ts";

/** POST /tokenize of a text. */
export const vllmTokenize = defineEndpoint({
  profile: "vllm",
  name: "tokenize",
  what: "tokenize request",
  route: "POST /tokenize",
  fields: {
    model: tokenizerModel,
    prompt: field(promptText, "one text", sources.tokenize),
    add_special_tokens: plainFlag(sources.tokenize),
    return_token_strs: flag(sources.tokenize),
  },
});
