import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APIError, type Client, createClient } from "../../src/index.ts";
import { answer, type FaultServer, faultServer, json } from "../fault-server.ts";
import { type Exchange, exchangeOf, exchanges, replay } from "./exchanges.ts";

let server: FaultServer;
let client: Client;
let script: Parameters<typeof faultServer>[0];
beforeAll(async () => {
  server = await faultServer((...seen) => script(...seen));
  client = createClient({ baseURL: server.url, apiKey: "", backoff: { first: 1, longest: 1 } });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

/** What `completions.create` makes of an answer, whatever route it was recorded on. */
async function errorOf(exchange: Exchange): Promise<APIError> {
  script = (_, response) => replay(response, exchange);
  const error = await client.completions
    .create({ model: "smollm2", prompt: "a", temperature: 0 })
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

const refused = exchanges.filter(({ status, method }) => status >= 400 && method !== "HEAD");

it.each(refused)("reads the error of $name", async (exchange) => {
  const { status, answer: body } = exchange;
  const before = server.seen.length;
  const error = await errorOf(exchange);
  expect(error).toMatchObject({ status, retryable: false, attempts: 1 });
  expect(server.seen.length).toBe(before + 1);
  expect(error.body).toBe(body?.trim().slice(0, 2000));
  // The words of the server, in the one of its five forms.
  const said = JSON.parse(body!) as {
    error?: string | { message: string; type: string; param: string | null };
    detail?: string;
  };
  if (typeof said.error === "object") {
    const { message, type, param } = said.error;
    expect(error.message).toContain(message);
    expect([error.type, error.param, error.code]).toEqual([type, param ?? undefined, `http_${status}`]);
  } else {
    expect(error.message).toContain(said.error ?? said.detail);
    expect(error.code).toBe(said.error === "Unauthorized" ? "unauthorized" : `http_${status}`);
  }
});

it.each([
  ["main/err_bad_json", { code: "http_400", type: "Bad Request", param: "body.31" }],
  ["main/comp_logprobs21", { code: "http_400", type: "BadRequestError", param: "logprobs" }],
  ["main/err_unknown_model_stream", { code: "http_404", type: "NotFoundError", param: "model" }],
  ["main/meta_unknown_route", { code: "http_404", type: undefined, param: undefined }],
  ["main/steer_bad_layer_neg", { code: "http_500", type: "InternalServerError" }],
  ["chunk/auth_no_scheme", { code: "unauthorized" }],
])("says of %s what a reader would", async (name, expected) => {
  expect(await errorOf(exchangeOf(name))).toMatchObject(expected);
});

describe("a 200 that is no completion", () => {
  const others = exchanges.filter(
    ({ status, path, answer: body }) => status === 200 && path !== "/v1/completions" && body !== null,
  );
  it.each(others)("is refused: $name", async (exchange) => {
    const error = await errorOf(exchange);
    expect(error).toMatchObject({ status: 200 });
    expect(["unexpected_response", "incomplete_response"]).toContain(error.code);
  });
});

it.each([0, 1, 2, 5, 20])(
  "loses no request to the socket that a 500 closes %i ms later without saying so",
  async (delay) => {
    const fault = exchangeOf("main/steer_bad_layer_neg");
    expect(fault).toMatchObject({ status: 500 });
    expect(fault.headers).not.toHaveProperty("connection");
    const from = server.seen.length;
    // As the real server does: the answer is whole and says nothing of closing, and then the connection is gone.
    script = (_, response, nth) => {
      if (nth !== from) return json(response, 200, answer());
      response.on("finish", () => void setTimeout(delay).then(() => response.socket?.destroy()));
      replay(response, fault);
      return undefined;
    };
    const create = () => client.completions.create({ model: "smollm2", prompt: "a", max_tokens: 1 });
    await expect(create()).rejects.toMatchObject({ status: 500 });
    for (let i = 0; i < 5; i++) {
      expect((await create()).choices).toHaveLength(1);
      await setTimeout(delay);
    }
  },
);
