import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  completionChunkSchema,
  completionSchema,
  errorSchema,
  healthSchema,
  modelListSchema,
  modelStatusSchema,
} from "../../src/acs/response-schemas.ts";
import { doneJob } from "./job-support.ts";
import { start, vector, serve } from "../support.ts";
import { streamed } from "../stream-support.ts";

interface Document {
  openapi: string;
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, { properties: Record<string, object>; required: string[] }> };
  security?: object[];
}

const running = serve();
let document: Document;
beforeAll(async () => {
  document = (await running.get("/openapi.json")).body as unknown as Document;
});

test("every reference resolves, and every route answers", async () => {
  expect(document.openapi).toBe("3.1.0");
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty(name!);
  const { job_id: job } = await doneJob(running, { prompt: "a", max_tokens: 1 });
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!("get" in methods)) continue;
    expect((await running.get(path.replace("{id}", "tiny").replace("{job_id}", job))).status).toBe(200);
  }
});

test("the request's schema is the one that requests are checked with", async () => {
  const { properties, required } = document.components.schemas["CompletionRequest"]!;
  expect(required).toEqual(["model", "prompt"]);
  // Those of the API, and those that only this server has.
  const own = Object.keys(properties).filter((name) => name.startsWith("residua_"));
  expect(own.sort()).toEqual(["residua_embeddings", "residua_interventions"]);
  expect(Object.keys(properties).length).toBe(23 + own.length);
  for (const field of Object.values(properties)) expect(field).toHaveProperty("description");
  const schema = z.fromJSONSchema(document.components.schemas["CompletionRequest"] as never);
  for (const body of [
    { model: "tiny", prompt: "a", max_tokens: 1, priority: "7", stop: ["x"], top_k: 0 },
    { model: "tiny", prompt: [1, 2], max_tokens: 0 },
    { model: "tiny", prompt: "a", best_of: 1 },
    { model: "tiny", prompt: "a", top_p: 0 },
    { model: "tiny", prompt: "a", max_tokens: 1, temperature: 100 },
    { model: "tiny", prompt: "a", temperature: 101 },
    { prompt: "a" },
  ]) {
    const allowed = schema.safeParse(body).success;
    const answer = await running.complete(JSON.stringify(body));
    expect(answer.status).toBe(allowed ? 200 : 400);
  }
});

describe("answers have the form that the document gives, and nothing more", () => {
  test("models, status and health", async () => {
    modelListSchema.parse((await running.get("/v1/models")).body);
    modelStatusSchema.parse((await running.get("/v1/models/tiny/status")).body);
    healthSchema.parse((await running.get("/health")).body);
  });

  test("completions of every kind", async () => {
    const base = { prompt: "The city", max_tokens: 3, seed: 1 };
    const size = running.model.config.hiddenSize;
    for (const fields of [
      {},
      { logprobs: 2, echo: true, n: 2 },
      { prompt_logprobs: 2, prompt: ["a", [1, 2]].slice(1) },
      { output_residual_stream: true, apply_steering_vectors: [vector([1, size])] },
      { stop: "e" },
    ]) {
      completionSchema.parse((await running.complete({ ...base, ...fields })).body);
    }
    const chunks = await streamed(running, {
      ...base,
      logprobs: 1,
      stream_options: { include_usage: true },
    });
    for (const chunk of chunks) completionChunkSchema.parse(chunk);
  });

  test("errors", async () => {
    errorSchema.parse((await running.complete({ prompt: 5 })).body);
    errorSchema.parse((await running.get("/nope")).body);
  });
});

test("with a key the document asks for it, and is itself open", async () => {
  const guarded = await start({ apiKey: "acs-bm-of-the-test" });
  const { status, body } = await guarded.get("/openapi.json");
  expect(status).toBe(200);
  expect((body as unknown as Document).security).toEqual([{ key: [] }]);
  expect(document.security).toBeUndefined();
  await guarded.close();
});
