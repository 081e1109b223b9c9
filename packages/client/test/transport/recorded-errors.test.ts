import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { APIError, createClient } from "../../src/index.ts";
import { faultServer, json } from "../fault-server.ts";

interface Recorded {
  name: string;
  status: number;
  body: string;
}

const recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/vllm-errors.json", import.meta.url), "utf8"),
) as Recorded[];

/** What each recorded answer says, in our one form. */
const expected: Record<string, object> = {
  "main/err_bad_json": { code: "http_400", type: "Bad Request", param: "body.31" },
  "main/err_prompt_empty_list": { code: "http_400", param: undefined },
  "main/comp_logprobs21": { code: "http_400", type: "BadRequestError", param: "logprobs" },
  "main/err_unknown_model_stream": { code: "http_404", type: "NotFoundError", param: "model" },
  "main/meta_unknown_route": { code: "http_404", type: undefined },
  "main/steer_bad_layer_neg": { code: "http_500", type: "InternalServerError" },
  "main/steer_bad_no_dtype": { code: "http_500" },
  "chunk/auth_no_scheme": { code: "unauthorized" },
  "crash/err_token_id_49152": { code: "http_500" },
};

it.each(recorded)("reads $name", async ({ name, status, body }) => {
  const server = await faultServer((_, response) => json(response, status, body));
  const client = createClient({ baseURL: server.url, apiKey: "", backoff: { first: 1, longest: 1 } });
  const error = await client.completions
    .create({ model: "smollm2", prompt: "a", temperature: 0 })
    .catch((e: unknown) => e);
  await client.close();
  await server.close();
  expect(error).toBeInstanceOf(APIError);
  expect(error).toMatchObject({ status, retryable: false, attempts: 1, body, ...expected[name] });
  expect((error as APIError).message.length).toBeGreaterThan(10);
});

it("has an expectation for each", () => {
  expect(recorded.map(({ name }) => name)).toEqual(Object.keys(expected));
});
