import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIError, createClient } from "../../src/index.ts";
import { readErrorBody } from "../../src/transport/error-body.ts";
import { redactorOf } from "../../src/transport/redactor.ts";
import { type Retry, retryByCode, retryOfAnswer } from "../../src/transport/retry-policy.ts";
import { caught, closing, request, setup } from "../client-support.ts";
import { answer, faultServer, json } from "../fault-server.ts";

/** Status, code, and whether it may be sent again: facts of the hosted API's error table. */
const table: [number, string, Retry, Record<string, unknown>?][] = [
  ...[
    "invalid_request",
    "bad_json",
    "model_not_found",
    "context_length_exceeded",
    "full_vocab_prompt_too_long",
  ].map((code): [number, string, Retry] => [400, code, "never"]),
  ...[
    "activation_prompt_too_long",
    "activations_unsupported",
    "chat_completions_unsupported",
    "harvest_unsupported",
  ].map((code): [number, string, Retry] => [400, code, "never"]),
  [400, "vllm_context_length", "never", { type: "upstream_error", retryable: false, upstream_status: 400 }],
  [400, "vllm_invalid_request", "never", { type: "upstream_error", retryable: false }],
  ...["missing_authorization", "invalid_api_key", "key_revoked", "key_disabled", "account_not_approved"].map(
    (code): [number, string, Retry] => [401, code, "never"],
  ),
  [403, "scope_denied", "never"],
  [404, "harvest_job_not_found", "never"],
  [409, "harvest_not_cancellable", "never"],
  [413, "request_too_large", "never"],
  [429, "budget_exceeded", "never"],
  [429, "activation_quota_exceeded", "never"],
  [429, "harvest_quota_exceeded", "never"],
  [429, "queue_full", "always"],
  [429, "rate_limited", "always"],
  [429, "harvest_concurrency_exceeded", "always"],
  [429, "harvest_capacity_exceeded", "always"],
  [500, "internal_error", "never"],
  [502, "upstream_unreachable", "repeatable", { retryable: true, reason: "connect" }],
  [502, "upstream_server_error", "always", { retryable: true, upstream_status: 503 }],
  [502, "upstream_server_error", "never", { retryable: false, upstream_status: 500 }],
  [502, "vllm_engine_dead", "repeatable", { retryable: true }],
  [502, "vllm_oom", "never", { retryable: true }],
  [503, "circuit_open", "always", { retryable: true, retry_after_seconds: null }],
  [503, "modal_cold_boot", "always", { retryable: true, retry_after_seconds: 0 }],
  [200, "modal_cold_boot", "always", { retryable: true }],
  [503, "harvest_unavailable", "always"],
];

describe("the error table", () => {
  it.each(table)("%i %s is sent again: %s", async (status, code, retry, extra = {}) => {
    const body = { error: { message: "m", type: "t", code, ...extra }, request_id: "req_1" };
    for (const repeatable of [false, true]) {
      const { server, client } = await setup((_, response, nth) =>
        nth === 0 ? json(response, status, body) : json(response, 200, answer()),
      );
      const sent = client.completions.create({ ...request, ...(repeatable && { seed: 1 }) });
      const again = retry === "always" || (retry === "repeatable" && repeatable);
      if (again) expect((await sent).id).toBe("cmpl-1");
      else
        expect(await caught(sent)).toMatchObject({
          status,
          code,
          requestID: "req_1",
          retryable: retry !== "never",
        });
      expect(server.seen).toHaveLength(again ? 2 : 1);
    }
  });

  it("has every code that the policy knows", () => {
    const known = new Set(table.map(([, code]) => code));
    expect(Object.keys(retryByCode).filter((code) => !known.has(code))).toEqual(["server_restarting"]);
  });

  it("a cold boot under a 200 is asked again only so often", async () => {
    const { server, client } = await setup((_, response) =>
      json(response, 200, {
        error: { message: "booting", type: "upstream_not_ready", code: "modal_cold_boot" },
      }),
    );
    expect(await caught(client.completions.create(request))).toMatchObject({
      code: "modal_cold_boot",
      attempts: 3,
    });
    expect(server.seen).toHaveLength(3);
  });
});

/** Every form of body that servers and proxies are known to send, around one message. */
const forms: Readonly<Record<string, (m: string, code: unknown) => unknown>> = {
  envelope: (message, code) => ({ error: { message, type: "t", code }, request_id: "r" }),
  "error text": (message) => ({ error: message }),
  detail: (message) => ({ detail: message }),
  "detail list": (message) => ({ detail: [{ loc: ["body", message, 0], msg: message, type: "x" }] }),
  "top level": (message, code) => ({ object: "error", message, type: "t", code }),
  raw: (message) => ({ raw: message }),
  text: (message) => `<html>${message}</html>`,
  "cut JSON": (message) => `  {"error":{"message":${JSON.stringify(message)}`,
  list: (message) => [message],
  nested: (message) => ({ error: { message: { en: message }, code: { n: 1 }, param: [message] } }),
  nothing: () => "",
  null: () => "null",
};

describe("any error answer (property)", () => {
  const statuses = fc.constantFrom(
    200,
    201,
    204,
    300,
    302,
    400,
    401,
    403,
    404,
    408,
    409,
    418,
    422,
    429,
    499,
    500,
    501,
    502,
    503,
    504,
    599,
  );
  const codes = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.constantFrom(null, undefined, true, "budget_exceeded", "__proto__", "constructor"),
  );
  const secret = 'sk-"quoted\\key/%41+SECRET';

  it("becomes one form, bounded, without the key, JSON and all", async () => {
    let reply = { status: 200, text: "", headers: {} as Record<string, string> };
    const server = closing(
      await faultServer((_, response) => json(response, reply.status, reply.text, reply.headers)),
    );
    const client = closing(createClient({ baseURL: server.url, apiKey: secret, maxRetries: 0 }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(forms)),
        statuses,
        fc.string({ maxLength: 300 }),
        codes,
        fc.nat(3000),
        fc.constantFrom("", " ".repeat(4096), "\ufeff"),
        async (form, status, message, code, pad, before) => {
          const body = forms[form]?.(`${"y".repeat(pad)}${message} ${secret} z`, code);
          const text = before + (typeof body === "string" ? body : JSON.stringify(body));
          reply = {
            status,
            text,
            headers: { "x-request-id": secret, "retry-after": message.replaceAll(/[^ -~]/g, "") },
          };
          const error = await caught(client.completions.create({ ...request, seed: 1 }));
          expect(error).toBeInstanceOf(APIError);
          const { body: excerpt, message: said, code: own, retryable, retryAfter } = error as APIError;
          expect([
            excerpt.length <= 2000,
            said.length <= 4300,
            own !== "",
            typeof own,
            typeof retryable,
          ]).toEqual([true, true, true, "string", "boolean"]);
          expect(retryAfter === undefined || retryAfter >= 0).toBe(true);
          const shown = [
            inspect(error, { depth: 9, showHidden: true }),
            JSON.stringify(error),
            String(error),
          ].join();
          for (const part of ["SECRET", "quoted\\\\key"]) expect(shown).not.toContain(part);
        },
      ),
      { numRuns: 400 },
    );
  }, 60_000);

  it("is read without a server just the same, whatever the JSON", () => {
    const redact = redactorOf([]);
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        fc.jsonValue(),
        fc.dictionary(fc.string(), fc.string()),
        (status, body, headers) => {
          const fields = readErrorBody({ status, headers, text: JSON.stringify(body) }, body, redact);
          expect(["never", "always", "repeatable"]).toContain(retryOfAnswer(fields));
          expect(fields.code).not.toBe("");
          expect(fields.message).not.toBe("");
        },
      ),
    );
  });
});
