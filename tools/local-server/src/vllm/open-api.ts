import { z } from "zod";
import { openApiParts } from "../open-api-parts.ts";
import { vllmVersion } from "./answer-parts.ts";
import {
  chatRequestSchema,
  completionRequestSchema,
  detokenizeRequestSchema,
  tokenizeChatSchema,
  tokenizeTextSchema,
} from "./request-schema.ts";

const components = {
  CompletionRequest: completionRequestSchema,
  ChatCompletionRequest: chatRequestSchema,
  TokenizeRequest: z.union([tokenizeTextSchema, tokenizeChatSchema]),
  DetokenizeRequest: detokenizeRequestSchema,
  /** `code` is the status. */
  Error: z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.number(),
    }),
  }),
  Detail: z.object({ detail: z.string() }),
  Unauthorized: z.object({ error: z.string() }),
};

const { ref, json, answer, schemas } = openApiParts(components);

const takes = (name: keyof typeof components) => ({ required: true, content: json(name) });

const paths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "/health": { get: {} },
  "/ping": { get: {}, post: {} },
  "/version": { get: {} },
  "/load": { get: {} },
  "/metrics": { get: {} },
  "/tokenize": { post: { requestBody: takes("TokenizeRequest") } },
  "/detokenize": { post: { requestBody: takes("DetokenizeRequest") } },
  "/v1/models": { get: {} },
  "/v1/completions": { post: { requestBody: takes("CompletionRequest") } },
  "/v1/chat/completions": { post: { requestBody: takes("ChatCompletionRequest") } },
  "/v1/activations/{handle}": { get: { parameters: [inPath("handle")] } },
  "/v1/hooks/register": { post: {} },
  "/v1/hooks/collect": { post: {} },
  "/v1/hooks/clear": { post: {} },
  "/v1/hooks/clear_results": { post: {} },
  "/v1/hooks/prefetch": { post: {} },
  "/v1/hooks/clear_prefetched": { post: {} },
  "/v1/hooks/ui/{file}": { get: { parameters: [inPath("file")] } },
};

function inPath(name: string): object {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

/** The body of GET /openapi.json: the routes, by which clients find the plugin, and the forms of the bodies. */
export function vllmOpenApi(): object {
  const anyOf = [ref("Error"), ref("Detail")];
  const responses = (path: string) => ({
    200: { description: "Successful Response" },
    400: answer("A field or the body breaks a rule", "Error"),
    404: {
      description: "There is no such model, handle or file",
      content: { "application/json": { schema: { anyOf } } },
    },
    405: answer("The path takes another method", "Detail"),
    413: answer("The body is too large", "Error"),
    429: answer("Too many requests run and wait", "Error"),
    500: answer("The server failed", "Error"),
    ...(path.startsWith("/v1/") ? { 401: answer("The key is missing or wrong", "Unauthorized") } : {}),
  });
  return {
    openapi: "3.1.0",
    info: { title: "Residua local server, profile vllm", version: vllmVersion },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method,
            { ...operation, responses: responses(path) },
          ]),
        ),
      ]),
    ),
    components: { schemas: schemas() },
  };
}
