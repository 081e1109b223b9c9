import type { Context } from "hono";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { sendJson } from "../send-json.ts";
import { chatPrompt } from "./chat-prompt.ts";
import { findServed } from "./find-served.ts";
import { readBody } from "./read-body.ts";
import {
  detokenizeRequestSchema,
  parseRequest,
  tokenizeChatSchema,
  tokenizeTextSchema,
} from "./request-schema.ts";
import { badRequest } from "./vllm-error.ts";

/** What these routes, which ask for no key, take at once: about a second's work. */
const most = { characters: 131_072, ids: 1_048_576 };

/** POST /tokenize: a text, or a conversation as the chat template writes it. It may be longer than the context. */
export async function answerTokenize(context: Context<AppEnv>, { served }: AppOptions): Promise<Response> {
  const body = await readBody(context.req.raw);
  const chat = typeof body === "object" && body !== null && "messages" in body;
  const conversation = chat ? parseRequest(tokenizeChatSchema, body) : null;
  const request = conversation ?? parseRequest(tokenizeTextSchema, body);
  const found = findServed(served, request.model);
  const { tokenizer, config } = found.model;
  const text = conversation === null ? (request["prompt"] as string) : chatPrompt(conversation, found);
  if (text.length > most.characters) {
    throw badRequest(
      `prompt: ${text.length} characters, over the ${most.characters} that this server takes at once`,
      "prompt",
    );
  }
  // A template has written the special tokens already.
  const addSpecialTokens = request.add_special_tokens ?? conversation === null;
  const tokens = tokenizer.encode(text, { addSpecialTokens });
  const answer = {
    count: tokens.length,
    max_model_len: config.contextLength,
    tokens,
    token_strs: request.return_token_strs === true ? tokenizer.spell(tokens) : null,
  };
  return sendJson(context, JSON.stringify(answer));
}

/** POST /detokenize. An id that the vocabulary lacks is refused: vLLM answers with a text that leaves it out. */
export async function answerDetokenize(context: Context<AppEnv>, { served }: AppOptions): Promise<Response> {
  const request = parseRequest(detokenizeRequestSchema, await readBody(context.req.raw), (body) => {
    const { tokens } = Object(body) as { tokens?: unknown };
    if (Array.isArray(tokens) && tokens.length > most.ids)
      throw badRequest(
        `tokens: ${tokens.length} ids, over the ${most.ids} that this server takes at once`,
        "tokens",
      );
  });
  const { tokenizer, config } = findServed(served, request.model).model;
  const unknown = request.tokens.find((token) => token >= config.vocabSize);
  if (unknown !== undefined) throw badRequest(`Token id ${unknown} is out of vocabulary`, "tokens");
  return sendJson(context, JSON.stringify({ prompt: tokenizer.decode(request.tokens) }));
}
