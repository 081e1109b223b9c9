import type { Context } from "hono";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { beginCompletion } from "../begin-completion.ts";
import { findModel } from "@residua/engine/api";
import { readJsonBody } from "../read-json-body.ts";
import { sendJson } from "../send-json.ts";
import { streamCompletion } from "../stream-completion.ts";
import { textBody } from "../text-body.ts";
import { tieToConnection } from "../tie-to-connection.ts";
import { octoaiErrorBody } from "./octoai-error.ts";
import { parseOctoaiRequest } from "./octoai-request.ts";
import { octoaiChunks, octoaiJson } from "./octoai-response.ts";
import { prepareOctoai } from "./prepare-octoai.ts";
import { asValidationError } from "./validation-error.ts";

/** POST /v1/completions. A request that cannot be run is refused before a stream starts. */
export async function answerOctoai(context: Context<AppEnv>, options: AppOptions): Promise<Response> {
  try {
    return await answer(context, options);
  } catch (error) {
    throw asValidationError(error);
  }
}

async function answer(context: Context<AppEnv>, options: AppOptions): Promise<Response> {
  const request = parseOctoaiRequest(await readJsonBody(context.req.raw));
  const served = findModel(options.served, request.model, 404);
  const quirks = context.get("quirks");
  const prepared = prepareOctoai(request, served, quirks);
  const run = beginCompletion(prepared, {
    served,
    client: context.get("client"),
    priority: 0,
    quirks,
  });
  if (request.log_prompt === true) context.header("x-log-prompt", "ignored: this server stores no prompt");
  const tied = tieToConnection(run, context.req.raw.signal);
  if (request.stream === true) {
    const chunks = octoaiChunks(request, prepared, served);
    return streamCompletion(context, { ...options, chunks, run: tied, errorBody: octoaiErrorBody });
  }
  // Every sequence counts, those too that `best_of` leaves out: they were generated, and are paid.
  let generatedTokens = 0;
  const generations = await tied.generate({ listeners: () => ({ onToken: () => void generatedTokens++ }) });
  return sendJson(context, textBody(octoaiJson(request, prepared, generations, { served, generatedTokens })));
}
