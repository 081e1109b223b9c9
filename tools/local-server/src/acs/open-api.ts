import { openApiParts, openApiSecurity } from "../open-api-parts.ts";
import { serverVersion } from "../server-version.ts";
import { completionRequestSchema, jobRequestSchema } from "@residua/engine/api";
import { jobListSchema, jobSchema } from "./job-record.ts";
import {
  completionChunkSchema,
  completionSchema,
  errorSchema,
  healthSchema,
  modelListSchema,
  modelStatusSchema,
} from "./response-schemas.ts";

const components = {
  CompletionRequest: completionRequestSchema,
  Completion: completionSchema,
  CompletionChunk: completionChunkSchema,
  Job: jobSchema,
  JobList: jobListSchema,
  JobRequest: jobRequestSchema,
  Error: errorSchema,
  Health: healthSchema,
  ModelList: modelListSchema,
  ModelStatus: modelStatusSchema,
};

const { json, answer, streamEvent, schemas } = openApiParts(components);

/** What follows a job that was sent, by the id in its answer. */
const jobLinks = Object.fromEntries(
  ["getJob", "getJobResult", "cancelJob", "deleteJob"].map((operationId) => [
    operationId,
    { operationId, parameters: { job_id: "$response.body#/job_id" } },
  ]),
);

/** The body of GET /openapi.json: OpenAPI 3.1, its schemas made from those that the server checks with. */
export function openApi(options: { needsKey: boolean; models: readonly string[] }): object {
  const notFound = { 404: answer("There is no such thing", "Error") };
  const refused = options.needsKey
    ? {
        401: answer("The key is missing, wrong or not let in", "Error"),
        403: answer("The key has not the scope", "Error"),
      }
    : {};
  const health = { get: { security: [], responses: { 200: answer("The server runs", "Health") } } };
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const tooMany = {
    ...answer(
      "Too many requests run and wait (then with Retry-After), or the key's budget is used up",
      "Error",
    ),
    headers: { "Retry-After": { description: "Seconds", schema: { type: "integer" } } },
  };
  const badRequest = {
    400: answer("A field or the body breaks a rule; the message names it", "Error"),
    413: answer("The body is too large", "Error"),
    429: tooMany,
    ...refused,
  };
  const jobId = { ...id, name: "job_id" };
  const job = { 200: answer("The job", "Job"), ...notFound, ...refused };
  const cancel = {
    parameters: [jobId],
    responses: { ...job, 409: answer("It is done or failed", "Error") },
  };
  return {
    openapi: "3.1.0",
    info: { title: "Residua local server", version: serverVersion },
    paths: {
      "/health": health,
      "/v1/health": health,
      "/openapi.json": {
        get: {
          security: [],
          responses: {
            200: {
              description: "This document",
              content: { "application/json": { schema: { type: "object" } } },
            },
          },
        },
      },
      "/v1/models": {
        get: { responses: { 200: answer("The models and what they can do", "ModelList"), ...refused } },
      },
      "/v1/models/{id}/status": {
        get: {
          parameters: [id],
          responses: { 200: answer("Whether the model is loaded", "ModelStatus"), ...notFound, ...refused },
        },
      },
      "/v1/completions": {
        post: {
          requestBody: { required: true, content: json("CompletionRequest") },
          responses: {
            200: {
              description:
                "The completion; with stream: true its chunks as events, then `[DONE]`, after an error event if it failed",
              content: {
                ...json("Completion"),
                "text/event-stream": { schema: streamEvent("CompletionChunk", "Error") },
              },
            },
            ...badRequest,
          },
        },
      },
      "/v1/jobs/completions": {
        post: {
          requestBody: { required: true, content: json("JobRequest") },
          responses: {
            202: { ...answer("The job, saved and waiting for its turn", "Job"), links: jobLinks },
            ...badRequest,
          },
        },
        get: { responses: { 200: answer("The key's jobs, the newest first", "JobList"), ...refused } },
      },
      "/v1/jobs/completions/{job_id}": {
        get: { operationId: "getJob", parameters: [jobId], responses: job },
        delete: { operationId: "deleteJob", ...cancel },
      },
      "/v1/jobs/completions/{job_id}/cancel": { post: { operationId: "cancelJob", ...cancel } },
      "/v1/jobs/completions/{job_id}/result": {
        get: {
          operationId: "getJobResult",
          parameters: [jobId],
          responses: {
            200: answer("The completion", "Completion"),
            409: answer("It is not done", "Error"),
            ...notFound,
            ...refused,
          },
        },
      },
    },
    ...openApiSecurity(schemas(options.models), options.needsKey),
  };
}
