import type { Context } from "hono";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { answerGeneration, idStem } from "./answer-generation.ts";
import { activationsOf, answerHead } from "./answer-parts.ts";
import { completionJson } from "./completion-answer.ts";
import { completionStream } from "./completion-stream.ts";
import { findServed } from "./find-served.ts";
import { prepareCompletion } from "./prepare-completion.ts";
import { readBody } from "./read-body.ts";
import { completionRequestSchema, parseRequest } from "./request-schema.ts";
import type { VllmState } from "./vllm-state.ts";

/** POST /v1/completions. What can be refused is refused before a stream starts. */
export async function answerCompletion(
  context: Context<AppEnv>,
  options: AppOptions,
  state: VllmState,
): Promise<Response> {
  const request = parseRequest(completionRequestSchema, await readBody(context.req.raw));
  const served = findServed(options.served, request.model);
  const prepared = prepareCompletion(request, served, context.get("quirks"));
  const head = answerHead("cmpl", "text_completion", idStem(context, request.request_id), served);
  return answerGeneration(context, options, state, {
    served,
    prepared,
    whole: (generations) => {
      const activations = activationsOf(prepared, generations, state.handles);
      return completionJson(request, prepared, generations, { served, head, activations });
    },
    stream: request.stream === true ? completionStream(request, prepared, { served, head }) : null,
  });
}
