import { describe, expect, it } from "vitest";
import { caught, request, setup, testKey } from "../client-support.ts";
import { answer, json } from "../fault-server.ts";

describe("client.request", () => {
  it("asks any route past every check, with the client's key, and gives the answer as it came", async () => {
    const { client, server } = await setup((_, response) =>
      json(response, 200, { results: {} }, { "x-request-id": "r1" }),
    );
    const body = { n: "many", unknown: { field: [1] } };
    expect(await client.request({ method: "POST", path: "/hooks/collect?x=1", body })).toMatchObject({
      status: 200,
      requestID: "r1",
      body: { results: {} },
    });
    await client.request({ path: "/metrics", root: true });
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/hooks/collect?x=1",
      "GET /metrics",
    ]);
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual(body);
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${testKey}`);
  });

  it("takes bytes as they are, whatever was announced, and reads an error of such a route as JSON", async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
    const { client } = await setup(({ path }, response) => {
      if (path === "/v1/none") return json(response, 404, { error: { message: "gone", code: 404 } });
      if (path === "/v1/chunked") {
        response.write(bytes.subarray(0, 7));
        return void response.end(bytes.subarray(7));
      }
      response.setHeader("content-length", bytes.length);
      return void response.end(bytes);
    });
    for (const path of ["/announced", "/chunked"]) {
      const { body } = await client.request({ path, bytes: true });
      expect(body).toBeInstanceOf(Uint8Array);
      expect(Buffer.compare(body as Uint8Array, bytes), path).toBe(0);
    }
    expect(await caught(client.request({ path: "/none", bytes: true }))).toMatchObject({
      status: 404,
      message: "404 http_404: gone",
    });
    const small = client.request(
      { path: "/chunked", bytes: true },
      { maxResponseBytes: 1000, maxRetries: 0 },
    );
    expect(await caught(small)).toMatchObject({ code: "response_too_large" });
  });

  it("is tried again after a cut answer where that does no harm: a GET, and what is said to be repeatable", async () => {
    let asked = 0;
    const { client } = await setup((_, response) => {
      if (++asked % 2 === 0) return json(response, 200, { asked });
      response.setHeader("content-length", 100);
      response.write("{");
      setTimeout(() => response.destroy(), 5);
      return;
    });
    expect(await client.request({ path: "/metrics" })).toMatchObject({ body: { asked: 2 } });
    const post = { method: "POST", path: "/hooks/collect" } as const;
    expect(await client.request({ ...post, repeatable: true })).toMatchObject({ body: { asked: 4 } });
    expect(await caught(client.request(post))).toMatchObject({ code: "connection_error" });
    expect(asked).toBe(5);
    asked = 0;
    const bytes = client.request({ path: "/x", bytes: true });
    expect(JSON.parse(new TextDecoder().decode((await bytes).body as Uint8Array))).toEqual({ asked: 2 });
  });

  it("takes what a request takes: headers, a signal, and fields that are undefined", async () => {
    const { client, server } = await setup((_, response) => json(response, 200, {}));
    const given = { method: "DELETE", path: "/jobs/1", body: undefined, root: undefined } as const;
    await client.request(given as never, { headers: { "x-own": "1" } });
    expect(server.seen[0]).toMatchObject({
      method: "DELETE",
      path: "/v1/jobs/1",
      body: "",
      headers: { "x-own": "1" },
    });
    expect(await caught(client.request({ path: "/x" }, { signal: AbortSignal.abort() }))).toMatchObject({
      code: "aborted",
    });
    expect(server.seen).toHaveLength(1);
  });

  it("refuses what is no request, by field", async () => {
    const { client, server } = await setup((_, response) => json(response, 200, {}));
    const refused = async (given: object) =>
      caught(client.request(given as Parameters<typeof client.request>[0]));
    expect(await refused({ path: "models" })).toMatchObject({ code: "invalid_request" });
    expect(await refused({ path: "/models", methd: "GET" })).toMatchObject({
      message: expect.stringContaining("did you mean method?") as string,
    });
    expect(await refused({ path: "/models", method: "PATCH" })).toMatchObject({ code: "invalid_request" });
    expect(server.seen).toEqual([]);
  });
});

describe("extraFields", () => {
  it("are sent as they are, beside what the profile checks", async () => {
    const { client, server } = await setup((_, response) => json(response, 200, answer()), {
      extraFields: ["capture_layers"],
    });
    const asked = { ...request, capture_layers: [1, "x"] };
    await client.completions.create(asked);
    expect(JSON.parse(server.seen.at(-1)?.body ?? "")).toEqual(asked);
    expect(await caught(client.completions.create({ ...asked, max_tokens: -1 }))).toMatchObject({
      code: "invalid_request",
    });
    const other = { ...asked, capture_rows: 1 };
    expect(await caught(client.completions.create(other))).toMatchObject({ code: "invalid_request" });
    expect((await client.completions.check(asked)).length).toBeGreaterThan(0);
  });
});
