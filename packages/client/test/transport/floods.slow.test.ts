import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { APIConnectionError, APIError } from "../../src/index.ts";
import { caught, request, setup } from "../client-support.ts";

/** Writes the same bytes for as long as they are taken; how many were written. */
function pour(response: ServerResponse, bytes: Buffer): { written: number } {
  const count = { written: 0 };
  const more = () => {
    while (!response.destroyed) {
      count.written += bytes.length;
      if (!response.write(bytes)) return void response.once("drain", more);
    }
  };
  more();
  return count;
}

const mebibyte = 2 ** 20;

describe("floods", () => {
  it.each([
    ["white space", " "],
    ["one text", '{"id":"'],
    ["a list", '{"choices":['],
    ["no JSON", "<html>"],
  ])("of the body (%s) end at the limit, and memory does not grow", async (_, start) => {
    for (const options of [{}, { fetch }]) {
      let count = { written: 0 };
      const fill = { " ": " ", '{"choices":[': `"${"x".repeat(1021)}",` }[start] ?? "x";
      const { server, client } = await setup(
        (__, response) => {
          response.writeHead(200, { "content-type": "application/json" });
          response.write(start);
          count = pour(response, Buffer.from(fill.repeat(65536 / fill.length)));
        },
        { ...options, maxResponseBytes: 24 * mebibyte },
      );
      const before = process.memoryUsage.rss();
      const error = await caught(client.completions.create(request));
      // A large body that is no JSON is not read further than it takes to see that.
      if (start === "<html>") expect(error).toMatchObject({ code: "unexpected_response", status: 200 });
      else expect(error).toMatchObject({ code: "response_too_large" });
      await expect.poll(() => server.open().size).toBe(0);
      expect(count.written).toBeLessThan(40 * mebibyte);
      expect(process.memoryUsage.rss() - before).toBeLessThan(160 * mebibyte);
      expect(server.seen).toHaveLength(1);
    }
  });

  it("of an error's body keep its status when it is no JSON, and end", async () => {
    const { client } = await setup((_, response) => {
      response.writeHead(500, { "content-type": "text/html" });
      pour(response, Buffer.from("<p>bad</p>".repeat(6000)));
    });
    const error = await caught(client.completions.create(request));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 500, code: "http_500" });
    expect((error as APIError).body).toHaveLength(2000);
    expect((error as APIError).message.length).toBeLessThan(400);
  });

  it("of a stream end at the limit", async () => {
    const { server, client } = await setup(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        pour(response, Buffer.from(`: ${"x".repeat(65000)}\n`));
      },
      { maxResponseBytes: 4 * mebibyte },
    );
    const stream = await client.completions.create({ ...request, stream: true });
    const error = await caught(
      (async () => {
        for await (const _ of stream);
      })(),
    );
    expect(error).toMatchObject({ code: "response_too_large" });
    await expect.poll(() => server.open().size).toBe(0);
  });

  it.each([
    ["one long header", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}`],
    ["many headers", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`],
  ])("of headers (%s) are a clear error", async (_, text) => {
    const { server, client } = await setup((__, response) => void response.socket?.write(text));
    const error = await caught(client.completions.create({ ...request, seed: 1 }));
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(error).toMatchObject({ reason: "UND_ERR_HEADERS_OVERFLOW", attempts: 1 });
    await expect.poll(() => server.open().size).toBe(0);
  });

  it("of promises end when the headers' time is over", async () => {
    const { client } = await setup((_, response) => {
      const { socket } = response;
      const timer = setInterval(() => {
        if (socket?.destroyed !== false) clearInterval(timer);
        else socket.write("HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n".repeat(20));
      }, 2);
    });
    const error = await caught(client.completions.create(request, { timeout: { headers: 150 } }));
    expect(error).toMatchObject({ code: "timeout", limit: "headers" });
  });

  it.each([
    ["no HTTP", "SMTP ready\r\n\r\n"],
    ["a length that lies", 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{"id":"cmpl-1"}'],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}"],
    ["a chunk size of letters", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"],
    ["an unasked upgrade", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
  ])("and nonsense (%s) are errors, not hangs", async (_, text) => {
    const { client } = await setup((__, response) => void response.socket?.end(text));
    const error = await caught(client.completions.create(request, { timeout: 5000 }));
    expect(error).toMatchObject({ name: expect.stringMatching(/^API/) as unknown });
    expect((error as Error).name).not.toBe("APITimeoutError");
  });
});
