import type { Context } from "hono";
import { errorBody, findModel, parseCompletionRequest, prepareCompletion } from "@residua/engine/api";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { beginCompletion } from "../begin-completion.ts";
import { readJsonBody } from "../read-json-body.ts";
import { sendJson } from "../send-json.ts";
import { streamCompletion } from "../stream-completion.ts";
import { textBody } from "../text-body.ts";
import { tieToConnection } from "../tie-to-connection.ts";
import { completionChunks } from "./completion-chunks.ts";
import { completionJson } from "./completion-response.ts";

/** POST /v1/completions. A request that cannot be run is refused before a stream starts. */
export async function answerCompletion(context: Context<AppEnv>, options: AppOptions): Promise<Response> {
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
  const tied = tieToConnection(run, context.req.raw.signal);
  if (request.stream !== true) {
    const generations = await tied.generate();
    return sendJson(context, textBody(completionJson(request, prepared, generations, served)));
  }
  const chunks = completionChunks(request, prepared, served);
  return streamCompletion(context, { ...options, ...chunks, run: tied, errorBody });
}
