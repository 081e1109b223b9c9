import { request as rawRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accepted as acceptance, refused as refusal, start, type Running } from "./support.ts";

let running: Running;
const refused = (body: unknown, code?: string) => refusal(running, body, code);
const accepted = (body: object) => acceptance(running, body);
beforeAll(async () => {
  running = await start();
});
afterAll(async () => {
  await running.close();
  expect(running.logged).toEqual([]);
});

describe("bodies and routes", () => {
  test.each(["", "{", "[1,2", "\u0000", "{'a':1}", "nul"])("bad JSON %j", async (body) => {
    await refused(body, "bad_json");
  });

  test("JSON that is no object, and JSON nested a million deep", async () => {
    for (const body of ["null", "5", '"a"', "[]"]) await refused(body);
    await refused(`{"model":"tiny","prompt":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`);
  });

  test("bytes that are no UTF-8", async () => {
    const response = await fetch(`${running.server.url}/completions`, {
      method: "POST",
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "bad_json" } });
  });

  test("413 for a body that is too large, announced or not", async () => {
    const announced = await running.complete(`"${"a".repeat(33 * 1024 ** 2)}"`);
    expect([announced.status, announced.body.error.code]).toEqual([413, "request_too_large"]);
    const chunk = new Uint8Array(1 << 20).fill(0x20);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (sent++ < 40 ? controller.enqueue(chunk) : controller.close()),
    });
    const response = await fetch(`${running.server.url}/completions`, {
      method: "POST",
      body,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  test("unknown routes are 404 in the envelope; paths do not reach files", async () => {
    for (const path of ["/nope", "/v1/", "/v1/models/tiny/x", "/v1/..%2f..%2fetc/passwd"]) {
      const { status, body } = await running.get(path);
      expect([status, body.error.code]).toEqual([404, "not_found"]);
    }
    expect((await running.get("/v1/completions")).status).toBe(404);
  });

  test("chat is refused with its own code", async () => {
    const response = await fetch(`${running.server.url}/chat/completions`, { method: "POST", body: "{}" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "chat_completions_unsupported" } });
  });

  test("a request id that is not one is replaced", async () => {
    const { headers } = await running.get("/health", { "x-request-id": "has space" });
    expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{20}$/);
  });

  test("half a request does not disturb the others", async () => {
    const url = new URL(`${running.server.url}/completions`);
    const half = rawRequest(url, { method: "POST", headers: { "content-length": 1000 } });
    half.on("error", () => undefined);
    half.write('{"model"');
    await accepted({ prompt: "a", max_tokens: 1 });
    half.destroy();
    await accepted({ prompt: "a", max_tokens: 1 });
  });
});
