import { setTimeout as wait } from "node:timers/promises";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { APIConnectionError } from "../../src/index.ts";
import { caught, request, setup } from "../client-support.ts";
import { answer, type Script } from "../fault-server.ts";

const plain = Buffer.from(JSON.stringify(answer()));

const sends =
  (encoding: string, body: Buffer, status = 200): Script =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding });
    // In pieces, so that no decoder sees it whole.
    for (let at = 0; at < body.length; at += 1000) response.write(body.subarray(at, at + 1000));
    response.end();
  };

describe("packed answers", () => {
  it("are asked for, but not for a stream", async () => {
    const { server, client } = await setup((seen, response) => {
      if (seen.body.includes('"stream":true')) {
        response.writeHead(200, { "content-type": "text/event-stream" }).end("data: [DONE]\n\n");
      } else void sends("identity", plain)(seen, response, 0);
    });
    await client.completions.create(request);
    await client.completions.create(request, { headers: { "Accept-Encoding": "br" } });
    for await (const _ of await client.completions.create({ ...request, stream: true }));
    expect(server.seen.map(({ headers }) => headers["accept-encoding"])).toEqual([
      "gzip, deflate, br",
      "br",
      undefined,
    ]);
  });

  it.each([
    ["gzip", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    ["deflate", deflateSync(plain)],
    ["deflate", deflateRawSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["identity", plain],
  ])("in %s are read", async (encoding, body) => {
    const { client } = await setup(sends(encoding, body));
    expect(await client.completions.create(request)).toMatchObject({ id: "cmpl-1" });
  });

  it("may be errors too", async () => {
    const error = Buffer.from(
      JSON.stringify({ error: { message: "n", type: "t", code: "invalid_request" } }),
    );
    const { client } = await setup(sends("gzip", gzipSync(error), 400));
    expect(await caught(client.completions.create(request))).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  });

  it("may be streams", async () => {
    const { client } = await setup((_, response) => {
      const text =
        `data: ${JSON.stringify({ ...answer(0), choices: [] })}\n\n`.repeat(9) + "data: [DONE]\n\n";
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      response.end(gzipSync(text));
    });
    let chunks = 0;
    for await (const _ of await client.completions.create({ ...request, stream: true })) chunks++;
    expect(chunks).toBe(9);
  });

  it.each<[string, string, Buffer, object]>([
    ["corrupt", "gzip", Buffer.from("not gzip at all, not at all"), { code: "content_encoding" }],
    [
      "of a broken checksum",
      "gzip",
      gzipSync(plain).fill(7, gzipSync(plain).length - 6),
      { code: "content_encoding" },
    ],
    ["corrupt", "br", Buffer.from("not brotli at all, not at all"), { code: "content_encoding" }],
    ["of an unknown kind", "zstd", plain, { code: "content_encoding" }],
    ["doubly packed", "gzip, br", plain, { code: "content_encoding" }],
    ["cut off", "gzip", gzipSync(plain).subarray(0, 60), { reason: "incomplete_encoding" }],
    ["cut off", "br", brotliCompressSync(plain).subarray(0, 40), { reason: "incomplete_encoding" }],
  ])("%s (%s) are a clear error", async (_, encoding, body, expected) => {
    const { server, client } = await setup(sends(encoding, body));
    const error = await caught(client.completions.create({ ...request, seed: 1 }, { maxRetries: 1 }));
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(error).toMatchObject(expected);
    // What is only cut off may come whole the next time.
    expect(server.seen).toHaveLength("reason" in expected ? 2 : 1);
  });

  it("that turn out corrupt after their end cost the next request on their connection nothing", async () => {
    // Much to unpack in one piece, and a wrong checksum at its end.
    const broken = gzipSync(Buffer.concat([Buffer.alloc(2 ** 24, 32), plain]));
    broken.fill(7, broken.length - 6);
    const { server, client } = await setup(
      async (_, response, nth) => {
        if (nth > 0) await wait(40);
        const body = nth === 0 ? broken : plain;
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": String(body.length),
          ...(nth === 0 && { "content-encoding": "gzip" }),
        });
        response.end(body);
      },
      { connections: 1, retry: "never" },
    );
    const [first, second] = await Promise.allSettled([
      client.completions.create(request),
      client.completions.create(request),
    ]);
    expect(first).toMatchObject({ reason: { code: "content_encoding" } });
    expect(second).toMatchObject({ value: { id: "cmpl-1" } });
    expect(server.opened()).toBe(1);
  });

  it("that unpack without end stop at the limit", async () => {
    // 64 MiB of spaces in 64 KiB.
    const bomb = gzipSync(Buffer.alloc(2 ** 26, 32));
    const { server, client } = await setup(sends("gzip", bomb), { maxResponseBytes: 2 ** 20 });
    const before = process.memoryUsage.rss();
    expect(await caught(client.completions.create(request))).toMatchObject({ code: "response_too_large" });
    expect(process.memoryUsage.rss() - before).toBeLessThan(2 ** 25);
    expect(server.seen).toHaveLength(1);
    await expect.poll(() => server.open().size).toBe(0);
  });
});
