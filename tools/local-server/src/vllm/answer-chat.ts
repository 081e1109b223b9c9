import type { Context } from "hono";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { answerGeneration, idStem } from "./answer-generation.ts";
import { activationsOf, answerHead } from "./answer-parts.ts";
import { chatJson } from "./chat-answer.ts";
import { chatStream } from "./chat-stream.ts";
import { findServed } from "./find-served.ts";
import { prepareChat } from "./prepare-chat.ts";
import { readBody } from "./read-body.ts";
import { chatRequestSchema, parseRequest } from "./request-schema.ts";
import type { VllmState } from "./vllm-state.ts";

/** POST /v1/chat/completions. What can be refused is refused before a stream starts. */
export async function answerChat(
  context: Context<AppEnv>,
  options: AppOptions,
  state: VllmState,
): Promise<Response> {
  const request = parseRequest(chatRequestSchema, await readBody(context.req.raw));
  const served = findServed(options.served, request.model);
  const quirks = context.get("quirks");
  const prepared = prepareChat(request, served, quirks);
  const { handles } = state;
  const streamed = request.stream === true;
  const object = streamed ? "chat.completion.chunk" : "chat.completion";
  const head = answerHead("chatcmpl", object, idStem(context, request.request_id), served);
  return answerGeneration(context, options, state, {
    served,
    prepared,
    whole: (generations) => {
      const activations = activationsOf(prepared, generations, handles);
      return chatJson(request, prepared, generations, { served, head, activations });
    },
    stream: streamed ? chatStream(request, prepared, { served, head, handles, quirks }) : null,
  });
}
