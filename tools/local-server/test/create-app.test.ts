import { once } from "node:events";
import { request as rawRequest, type IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { accepted as acceptance, refused as refusal, serve } from "./support.ts";

const running = serve();
const refused = (body: unknown, code?: string) => refusal(running, body, code);
const accepted = (body: object) => acceptance(running, body);

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
  });

  test("a path that is there with another method is 405, and says which it takes", async () => {
    for (const [method, path, allow] of [
      ["GET", "/v1/completions", "POST"],
      ["PUT", "/v1/models", "GET, HEAD"],
      ["PATCH", "/v1/jobs/completions/job_1", "GET, HEAD, DELETE"],
      ["DELETE", "/health", "GET, HEAD"],
    ] as const) {
      const response = await fetch(new URL(path, running.server.url), { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
      expect(await response.json()).toMatchObject({ error: { code: "method_not_allowed" } });
    }
  });

  test("chat is refused with its own code", async () => {
    const response = await fetch(`${running.server.url}/chat/completions`, { method: "POST", body: "{}" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "chat_completions_unsupported" } });
  });

  test("a request id of up to 64 letters, digits, _ and - is kept, another is replaced", async () => {
    const answered = async (id: string) =>
      (await running.get("/health", { "x-request-id": id })).headers.get("x-request-id");
    for (const id of ["a", "A-z_09", "x".repeat(64)]) expect(await answered(id)).toBe(id);
    for (const id of ["", "has space", "x".repeat(65), "a.b", "ä"])
      expect(await answered(id)).toMatch(/^req_[0-9a-f]{20}$/);
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

describe("the model's status", () => {
  test("is warm: it is loaded before the server answers", async () => {
    for (const id of ["tiny", "tiny-uncatalogued"]) {
      const { status, body } = await running.get(`/v1/models/${id}/status`);
      expect([status, body]).toEqual([200, { id, object: "model.status", warm: true, boot: null }]);
    }
  });

  test("of an unknown model is 404", async () => {
    const { status, body } = await running.get("/v1/models/nope/status");
    expect([status, body.error.code]).toEqual([404, "model_not_found"]);
  });
});

describe("pages of other origins", () => {
  test("may ask with any header, without credentials", async () => {
    const response = await fetch(`${running.server.url}/completions`, {
      method: "OPTIONS",
      headers: {
        origin: "https://example.com",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-acs-workload",
      },
    });
    expect(response.status).toBe(204);
    const header = (name: string) => response.headers.get(`access-control-${name}`);
    expect(header("allow-origin")).toBe("*");
    expect(header("allow-methods")).toBe("GET,POST,DELETE,OPTIONS");
    expect(header("allow-headers")).toBe("authorization,content-type,x-acs-workload");
    expect(header("allow-credentials")).toBeNull();
  });

  test("can read answers and errors", async () => {
    const origin = { origin: "https://example.com" };
    for (const answer of [
      await running.get("/v1/models", origin),
      await running.get("/nope", origin),
      await running.complete({ prompt: 5 }, origin),
    ]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-expose-headers")).toBe("X-Acs-Longpoll,Retry-After");
    }
    const stream = await fetch(`${running.server.url}/completions`, {
      method: "POST",
      headers: origin,
      body: JSON.stringify({ model: "tiny", prompt: "a", max_tokens: 1, stream: true }),
    });
    expect(stream.headers.get("access-control-allow-origin")).toBe("*");
    await stream.text();
  });
});

describe("gzip", () => {
  /** The raw answer: fetch would undo the compression. */
  async function raw(body: object, acceptEncoding: string | undefined) {
    const sending = rawRequest(`${running.server.url}/completions`, {
      method: "POST",
      headers: acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding },
    });
    sending.end(JSON.stringify({ model: "tiny", ...body }));
    const [response] = (await once(sending, "response")) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return { headers: response.headers, bytes: Buffer.concat(parts) };
  }
  const long = { prompt: "The city", max_tokens: 8, temperature: 0, logprobs: 20 };

  test("for JSON of some length, when it is accepted", async () => {
    const plain = await raw(long, undefined);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers.vary).toMatch(/accept-encoding/i);
    const zipped = await raw(long, "br, gzip;q=0.8");
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length);
    const choices = (bytes: Buffer) => (JSON.parse(bytes.toString()) as { choices: object }).choices;
    expect(choices(gunzipSync(zipped.bytes))).toEqual(choices(plain.bytes));
    expect((await raw(long, "gzip;q=0")).headers["content-encoding"]).toBeUndefined();
    expect((await raw(long, "br")).headers["content-encoding"]).toBeUndefined();
  });

  test("not for short answers, nor for streams", async () => {
    expect((await raw({ prompt: 5 }, "gzip")).headers["content-encoding"]).toBeUndefined();
    const stream = await raw({ ...long, stream: true }, "gzip");
    expect(stream.headers["content-encoding"]).toBeUndefined();
    expect(stream.bytes.toString()).toContain("data: [DONE]");
  });
});
