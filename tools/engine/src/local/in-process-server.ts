import type { InProcessAnswer, InProcessRequest, InProcessServer } from "@residua/client";
import { ApiError, errorBody, invalidRequest } from "../api/api-error.ts";
import { parseCompletionRequest } from "../api/completion-request.ts";
import { explainError } from "../api/explain-error.ts";
import { findModel } from "../api/find-model.ts";
import { modelList, modelStatus } from "../api/model-catalogue.ts";
import { prepareCompletion } from "../api/prepare-completion.ts";
import type { ServedModel } from "../api/served-model.ts";
import { EngineRequestError } from "../engine-error.ts";
import { completionBody } from "./completion-body.ts";

/**
 * The hosted API on a model in this process: what `/v1/models` and `/v1/completions` of the local server answer, by values. No streams
 * and no jobs. Other faults than a request's own are thrown as the engine threw them.
 */
export function inProcessServer(served: ServedModel): InProcessServer {
  return {
    async answer(request): Promise<InProcessAnswer> {
      try {
        return { status: 200, body: await route(served, request) };
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof EngineRequestError)) throw error;
        const explained = explainError(error, () => undefined, "");
        const { error: body } = errorBody(explained, "");
        return { status: explained.status, body: { error: body } };
      }
    },
  };
}

async function route(served: ServedModel, { method, path, body, signal }: InProcessRequest): Promise<object> {
  const asked = `${method} ${path}`;
  if (asked === "GET /v1/models") return modelList([served]);
  if (asked === "POST /v1/completions") return complete(served, body, signal);
  const [, id] = /^GET \/v1\/models\/([^/]+)\/status$/.exec(asked) ?? [];
  if (id !== undefined) return modelStatus(findModel([served], decodeURIComponent(id), 404));
  throw new ApiError(404, "not_found", `a model in this process has no ${asked}`);
}

async function complete(served: ServedModel, body: object | undefined, signal: AbortSignal): Promise<object> {
  const request = parseCompletionRequest(body);
  if (request.stream === true)
    throw invalidRequest("stream: a model in this process does not stream; leave it out");
  findModel([served], request.model);
  const prepared = prepareCompletion(request, served);
  // Ends the other prompts too when one of them fails.
  const end = new AbortController();
  const either = AbortSignal.any([signal, end.signal]);
  const asked = prepared.generations.map((generation) => ({ ...generation, signal: either }));
  try {
    return completionBody(request, prepared, await served.model.generate(asked), served);
  } finally {
    end.abort(new Error("the request ended"));
  }
}
