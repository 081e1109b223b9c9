import { z } from "zod";
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
};

const takes = (name: keyof typeof components) => ({
  required: true,
  content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
});

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
  const responses = { 200: { description: "Successful Response" } };
  return {
    openapi: "3.1.0",
    info: { title: "Residua local server, profile vllm", version: vllmVersion },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [method, { ...operation, responses }]),
        ),
      ]),
    ),
    components: {
      schemas: Object.fromEntries(
        Object.entries(components).map(([name, schema]) => {
          const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: "input" });
          return [name, jsonSchema];
        }),
      ),
    },
  };
}
