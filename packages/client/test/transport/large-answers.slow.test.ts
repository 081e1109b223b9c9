import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { APIConnectionError, APIError } from "../../src/index.ts";
import { JSONBody } from "../../src/transport/json-body.ts";
import { caught, request, setup } from "../client-support.ts";
import { answer, json, type Script } from "../fault-server.ts";

/** 16 MiB as bytes, over that as base64. */
const numbers = Buffer.from(Float32Array.from({ length: 2 ** 22 }, (_, i) => i * 0.5).buffer);
const captured = JSON.stringify({
  ...answer(),
  activations: {
    residual_stream: { dtype: "float32", shape: [1, 2048, 2048], data: numbers.toString("base64") },
    small: { dtype: "float32", shape: [1], data: "AACAPw==" },
  },
});

const sends =
  (body: string | Buffer, headers: Record<string, string> = {}): Script =>
  (_, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(body);
  };

describe("answers over 16 MiB", () => {
  it("bring a tensor's data as bytes, by either transport and packed too", async () => {
    for (const [script, options] of [
      [sends(captured), {}],
      [sends(captured), { fetch }],
      [sends(gzipSync(captured, { level: 1 }), { "content-encoding": "gzip" }), {}],
    ] as const) {
      const { client } = await setup(script, options);
      const { activations, choices } = await client.completions.create(request);
      const { residual_stream: tensor, small } = activations as Record<
        string,
        { data: unknown; shape: unknown }
      >;
      expect(tensor?.data).toBeInstanceOf(Uint8Array);
      expect(Buffer.compare(tensor?.data as Uint8Array, numbers)).toBe(0);
      expect([tensor?.shape, small?.data, choices.length]).toEqual([[1, 2048, 2048], "AACAPw==", 1]);
    }
  });

  it.each<[string, string, object]>([
    ["cut off within the data", captured.slice(0, -5_000_000), { code: "incomplete_response" }],
    ["cut off after it", captured.slice(0, -1), { code: "incomplete_response", retryable: true }],
    [
      "not base64",
      captured.replace(/A{8}/, "AAA!AAAA"),
      {
        code: "unexpected_response",
        retryable: false,
        message: expect.stringContaining("(a character that base64 does not have)") as unknown,
      },
    ],
    ["base64 of the wrong length", captured.replace(/A{8}/, "AAAAAAA"), { code: "unexpected_response" }],
    ["followed by more", `${captured}{}`, { code: "unexpected_response" }],
  ])("%s are an error", async (_, body, expected) => {
    const { client } = await setup(sends(body), { maxRetries: 0 });
    const error = await caught(client.completions.create(request));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 200, ...expected });
    expect((error as APIError).body.length).toBeLessThanOrEqual(2000);
  });

  it("may be errors, which keep their words", async () => {
    const long = JSON.stringify({
      error: { message: "m".repeat(2 ** 24), code: "invalid_request", type: "t" },
    });
    const { client } = await setup((_, response) => json(response, 400, long));
    const error = (await caught(client.completions.create(request))) as APIError;
    expect(error).toMatchObject({ status: 400, code: "invalid_request" });
    expect(error.message.length).toBeLessThan(2100);
  });

  it("that break off are a broken connection", async () => {
    const { client } = await setup((_, response) => {
      response.writeHead(200, { "content-length": String(captured.length) });
      response.write(captured.slice(0, 18_000_000), () => response.socket?.destroy());
    });
    const error = await caught(client.completions.create(request));
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(error).toMatchObject({ attempts: 1 });
  });
});

describe("JSONBody", () => {
  it("gives the same on both sides of the border", () => {
    const text = (length: number) => {
      const value = { a: [1, { b: "é" }], text: "" };
      const left = length - Buffer.byteLength(JSON.stringify(value));
      return JSON.stringify({ ...value, text: "x".repeat(left) });
    };
    for (const length of [2 ** 24 - 1, 2 ** 24, 2 ** 24 + 1]) {
      const body = new JSONBody(2 ** 25);
      const bytes = Buffer.from(text(length));
      for (let at = 0; at < bytes.length; at += 65521) body.write(bytes.subarray(at, at + 65521));
      const read = body.end();
      expect(read.cut).toBe(false);
      expect(read.value).toEqual(JSON.parse(text(length)));
    }
  });
});
