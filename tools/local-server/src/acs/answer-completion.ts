import type { Context } from "hono";
import { errorBody } from "../api-error.ts";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { beginCompletion } from "../begin-completion.ts";
import { createChunkMaker } from "./completion-chunks.ts";
import { parseCompletionRequest } from "./completion-request.ts";
import { completionJson } from "./completion-response.ts";
import { eventStream } from "../event-stream.ts";
import { explainError } from "../explain-error.ts";
import { prepareCompletion } from "./prepare-completion.ts";
import { readJsonBody } from "../read-json-body.ts";
import { findModel } from "./model-catalogue.ts";
import { sendJson } from "../send-json.ts";
import { textBody } from "../text-body.ts";
import { tieToConnection } from "../tie-to-connection.ts";

/** POST /v1/completions. A request that cannot be run is refused before a stream starts. */
export async function answerCompletion(context: Context<AppEnv>, options: AppOptions): Promise<Response> {
  const { log, keepAliveInterval } = options;
  const request = parseCompletionRequest(await readJsonBody(context.req.raw));
  const served = findModel(options.served, request.model);
  const quirks = context.get("quirks");
  const prepared = prepareCompletion(request, served, { quirks });
  const run = beginCompletion(prepared, {
    served,
    client: context.get("client"),
    priority: request.priority ?? 0,
    quirks,
  });
  const { signal } = context.req.raw;
  const { generate, closed } = tieToConnection(run, signal);
  if (request.stream !== true) {
    const generations = await generate();
    return sendJson(context, textBody(completionJson(request, prepared, generations, served)));
  }
  const requestId = context.get("requestId");
  const chunks = createChunkMaker(request, prepared, served);
  context.header("content-type", "text/event-stream; charset=utf-8");
  context.header("cache-control", "no-cache");
  context.header("x-accel-buffering", "no");
  const body = eventStream({
    keepAliveInterval,
    onCancel: closed,
    write: async (send) => {
      try {
        const generations = await generate({
          listeners: (p) => ({
            onPrompt: (logprobs) => chunks.prompt(p, logprobs),
            onToken: (token) => {
              const chunk = chunks.token(p, token);
              if (chunk !== null) send(JSON.stringify(chunk));
            },
          }),
        });
        if (request.stream_options?.include_usage === true) send(JSON.stringify(chunks.usage(generations)));
      } catch (error) {
        if (signal.aborted) return;
        send(JSON.stringify(errorBody(explainError(error, log, requestId), requestId)));
      }
      send("[DONE]");
    },
  });
  return context.body(body);
}
