import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { octoaiHealthSchema, octoaiModelListSchema } from "../../src/octoai/octoai-schemas.ts";
import { serveOctoai, startOctoai } from "./octoai-support.ts";

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, object>;
  components: { schemas: Record<string, { properties: Record<string, object>; required: string[] }> };
}

const running = serveOctoai();
let document: Document;
beforeAll(async () => {
  document = (await running.get("/openapi.json")).body as unknown as Document;
});

/** "Create Completion", OpenAPI 3.1 of 2024-08-30, in its order; and the three that its SDK has besides. */
const documented =
  "best_of echo frequency_penalty ignore_eos log_prompt logit_bias loglikelihood logprobs max_tokens min_p model n peft presence_penalty repetition_penalty seed stream suffix temperature top_p user";
const ofTheSdk = "prompt stop stream_options";

test("the request has the documented fields, and only the model is required", () => {
  const { properties, required } = document.components.schemas["CreateCompletionRequest"]!;
  expect(Object.keys(properties).sort()).toEqual(`${documented} ${ofTheSdk}`.split(" ").sort());
  expect(required).toEqual(["model"]);
  for (const field of Object.values(properties)) expect(field).toHaveProperty("description");
});

test("its schema is the one that requests are checked with", async () => {
  const schema = z.fromJSONSchema(document.components.schemas["CreateCompletionRequest"] as never);
  for (const fields of [
    {},
    { prompt: "a", suffix: null, peft: null, logit_bias: { 5: 1 } },
    { suffix: "x" },
    { n: null },
    { logit_bias: { 5: 101 } },
    { top_k: 1 },
  ]) {
    const allowed = schema.safeParse({ model: "tiny", ...fields }).success;
    expect((await running.complete({ max_tokens: 1, ...fields })).status).toBe(allowed ? 200 : 422);
  }
});

test("every reference resolves, and every other answer has its form", async () => {
  expect(document.openapi).toBe("3.1.0");
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty(name!);
  octoaiHealthSchema.parse((await running.get("/health")).body);
  const { data } = octoaiModelListSchema.parse((await running.get("/v1/models")).body);
  expect(data.map(({ id }) => id)).toEqual(["tiny"]);
});

test("with a key the document is itself open, and says that the rest needs it", async () => {
  const guarded = await startOctoai({ apiKey: "octoai-key-of-the-test" });
  const { status, body } = await guarded.get("/openapi.json");
  expect({ status, body }).toMatchObject({ status: 200, body: { security: [{ key: [] }] } });
  expect((await guarded.get("/v1/models")).status).toBe(401);
  await guarded.close();
});
