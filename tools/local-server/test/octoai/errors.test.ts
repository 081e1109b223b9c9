import { describe, expect, test } from "vitest";
import { openStream } from "../stream-support.ts";
import { failed, serveOctoai, startOctoai } from "./octoai-support.ts";

const ask = { prompt: "The city", max_tokens: 1 };
const key = "octoai-key-of-the-test";
const as = { authorization: `Bearer ${key}` };

const running = serveOctoai({ apiKey: key });

describe("errors stand at the top level of the body", () => {
  test("401 without a key or with a wrong one", async () => {
    const missing = await failed(running, 401, ask);
    expect(missing).toMatchObject({
      type: "authentication_error",
      code: "missing_authorization",
      param: null,
    });
    expect(missing.headers.get("www-authenticate")).toBe("Bearer");
    const wrong = await failed(running, 401, ask, { authorization: "Bearer not-this-one" });
    expect(wrong.code).toBe("invalid_api_key");
    expect(JSON.stringify(wrong)).not.toContain("not-this-one");
  });

  test("404 for a model that is not there, which names the ids", async () => {
    const { type, code, param, message } = await failed(running, 404, { ...ask, model: "llama" }, as);
    expect({ type, code, param }).toEqual({
      type: "not_found_error",
      code: "model_not_found",
      param: "model",
    });
    expect(message).toContain("tiny");
  });

  test("404 for a route that is not there: jobs are another profile's", async () => {
    const { status, body } = await running.get("/v1/jobs/completions", as);
    expect({ status, body }).toMatchObject({ status: 404, body: { object: "error", code: "not_found" } });
  });

  test("413 for a body that is too large", async () => {
    const huge = `{"model":"tiny","prompt":"${"a".repeat(33 * 1024 ** 2)}"}`;
    expect(await failed(running, 413, huge, as)).toMatchObject({ code: "request_too_large" });
  });

  test("429 with a time to wait when the queue is full", async () => {
    const end = new AbortController();
    const long = { prompt: "The", n: 7, max_tokens: 1000, ignore_eos: true };
    const init = { headers: as, signal: end.signal };
    await Promise.all(Array.from({ length: 80 }, () => openStream(running, long, init)));
    const full = await failed(running, 429, ask, as);
    expect(full).toMatchObject({ type: "rate_limit_error", code: "queue_full" });
    expect(full.headers.get("retry-after")).toBe("5");
    end.abort();
  });
});

test("500 says that the server failed, and its log why", async () => {
  const broken = await startOctoai();
  // The model is gone while the server still answers.
  await broken.model.dispose();
  const { type, code, param } = await failed(broken, 500, ask);
  expect({ type, code, param }).toEqual({ type: "internal_error", code: "internal_error", param: null });
  expect(broken.logged).toEqual([expect.stringMatching(/^residua server: req_\w+: EngineError/) as string]);
  await broken.close();
});
