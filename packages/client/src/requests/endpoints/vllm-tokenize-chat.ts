import * as z from "zod";
import { field, flag, plainFlag, text } from "../fields/field.ts";
import { sources } from "../fields/sources.ts";
import { generationPromptRule } from "../rules/tokenize-rules.ts";
import { tokenizerModel } from "../fields/tokenizer-model.ts";
import { defineEndpoint } from "./endpoint.ts";

const { tokenize } = sources;
const options = field(z.record(z.string(), z.unknown()).nullish(), "an object", tokenize);

/** POST /tokenize of a conversation, as the model's chat template writes it. */
export const vllmTokenizeChat = defineEndpoint({
  profile: "vllm",
  name: "tokenize_chat",
  what: "tokenize request",
  route: "POST /tokenize",
  fields: {
    model: tokenizerModel,
    messages: field(
      z.array(z.looseObject({ role: z.string() })),
      "a list of messages, each { role, content }",
      tokenize,
    ),
    add_generation_prompt: plainFlag(tokenize),
    continue_final_message: plainFlag(tokenize),
    add_special_tokens: plainFlag(tokenize),
    return_token_strs: flag(tokenize),
    chat_template: text(tokenize),
    chat_template_kwargs: options,
    media_io_kwargs: options,
    mm_processor_kwargs: options,
    tools: field(z.array(z.looseObject({})).nullish(), "a list of tools", tokenize),
  },
  rules: [generationPromptRule],
});
