import { openApiParts, openApiSecurity } from "../open-api-parts.ts";
import { serverVersion } from "../server-version.ts";
import { octoaiRequestSchema } from "./octoai-request.ts";
import {
  octoaiChunkSchema,
  octoaiCompletionSchema,
  octoaiErrorSchema,
  octoaiHealthSchema,
  octoaiModelListSchema,
  validationErrorSchema,
} from "./octoai-schemas.ts";

const components = {
  CreateCompletionRequest: octoaiRequestSchema,
  CreateCompletionResponse: octoaiCompletionSchema,
  CreateCompletionChunk: octoaiChunkSchema,
  HTTPValidationError: validationErrorSchema,
  ErrorResponse: octoaiErrorSchema,
  Health: octoaiHealthSchema,
  ModelList: octoaiModelListSchema,
};

const { json, answer, streamEvent, schemas } = openApiParts(components);

/** The body of GET /openapi.json: OpenAPI 3.1, its schemas made from those that the server checks with. */
export function octoaiOpenApi(options: { needsKey: boolean; models: readonly string[] }): object {
  const refused = options.needsKey
    ? {
        401: answer("The key is missing, wrong or not let in", "ErrorResponse"),
        403: answer("The key has not the scope", "ErrorResponse"),
      }
    : {};
  const open = { security: [] };
  const document = {
    description: "This document",
    content: { "application/json": { schema: { type: "object" } } },
  };
  const completion = {
    description: "The completion; with stream: true its chunks as events, then `[DONE]`",
    content: {
      ...json("CreateCompletionResponse"),
      "text/event-stream": { schema: streamEvent("CreateCompletionChunk", "ErrorResponse") },
    },
  };
  return {
    openapi: "3.1.0",
    info: { title: "Residua local server, profile octoai", version: serverVersion },
    paths: {
      "/health": { get: { ...open, responses: { 200: answer("The server runs", "Health") } } },
      "/openapi.json": { get: { ...open, responses: { 200: document } } },
      "/v1/models": { get: { responses: { 200: answer("The models", "ModelList"), ...refused } } },
      "/v1/completions": {
        post: {
          requestBody: { required: true, content: json("CreateCompletionRequest") },
          responses: {
            200: completion,
            404: answer("There is no such model", "ErrorResponse"),
            413: answer("The body is too large", "ErrorResponse"),
            422: answer("The body breaks a rule; `detail` says which", "HTTPValidationError"),
            429: answer("The queue is full, or the key's budget is used up", "ErrorResponse"),
            500: answer("The server failed", "ErrorResponse"),
            ...refused,
          },
        },
      },
    },
    ...openApiSecurity(schemas(options.models), options.needsKey),
  };
}
