import { createServer, type AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { APITimeoutError, createClient } from "../../src/index.ts";
import { poolOptions } from "../../src/transport/pool-dispatcher.ts";
import { caught, closing, request, setup } from "../client-support.ts";
import { answer, json, type Script } from "../fault-server.ts";

/** Headers at once, then a space every 20 ms, and after so many the answer. */
const trickle =
  (spaces: number): Script =>
  async (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (let i = 0; i < spaces && !response.destroyed; i++) {
      response.write(" ");
      await wait(20);
    }
    response.end(JSON.stringify(answer()));
  };

describe("time limits", () => {
  it.each<[string, Script, object]>([
    ["headers", () => undefined, { headers: 60 }],
    ["body", (_, response) => void response.writeHead(200).write(" "), { body: 60 }],
    ["total", trickle(1000), { body: 5000, total: 120 }],
    ["total", () => undefined, { total: 60 }],
  ])("say that it was %s that ran out", async (limit, script, timeout) => {
    for (const options of [{}, { fetch }]) {
      const { server, client } = await setup(script, options);
      const error = await caught(client.completions.create(request, { timeout }));
      expect(error).toBeInstanceOf(APITimeoutError);
      const [milliseconds] = Object.values(timeout).slice(-1) as number[];
      expect(error).toMatchObject({ code: "timeout", limit, timeout: milliseconds, attempts: 1 });
      expect((error as Error).message).toContain(`timeout.${limit}`);
      await expect.poll(() => server.open().size).toBe(0);
    }
  });

  it("bounds the connection too: one that never comes to speak TLS", async () => {
    const silent = createServer((socket) => void socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const client = closing(
      createClient({
        baseURL: `https://127.0.0.1:${port}/v1`,
        maxRetries: 0,
        proxy: false,
        timeout: { connect: 80 },
      }),
    );
    const started = performance.now();
    expect(await caught(client.completions.create(request))).toMatchObject({ limit: "connect", timeout: 80 });
    expect(performance.now() - started).toBeLessThan(2000);
    silent.close();
  });

  it("undici's own 300 seconds never count (J19)", async () => {
    const settings = { origin: "http://h", connections: 3, connectTimeout: 123, proxy: undefined };
    expect(poolOptions(settings)).toMatchObject({
      headersTimeout: 0,
      bodyTimeout: 0,
      connections: 3,
      connect: { timeout: 123 },
    });
    // The same silence is cut or not by our limits alone.
    const { client } = await setup(async (_, response) => {
      await wait(300);
      json(response, 200, answer());
    });
    expect((await client.completions.create(request, { timeout: { headers: 5000 } })).id).toBe("cmpl-1");
    expect(await caught(client.completions.create(request, { timeout: { headers: 100 } }))).toMatchObject({
      limit: "headers",
    });
  });

  it("a trickle of white space is no silence", async () => {
    const { client } = await setup(trickle(20));
    expect((await client.completions.create(request, { timeout: { body: 200 } })).id).toBe("cmpl-1");
  });

  it("the request's parts go over the client's, and what is left out stays", async () => {
    const { client } = await setup(() => undefined, { timeout: { headers: 70, total: 5000 } });
    expect(await caught(client.completions.create(request, { timeout: { body: 1 } }))).toMatchObject({
      limit: "headers",
    });
    expect(await caught(client.completions.create(request, { timeout: 30 }))).toMatchObject({
      limit: "total",
    });
  });

  it("a stream is bounded by its total, and a slow reader is not the server's silence", async () => {
    const chunk = `data: ${JSON.stringify({ ...answer(0), choices: [] })}\n\n`;
    const { client } = await setup(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let i = 0; i < 400 && !response.destroyed; i++) {
        response.write(chunk);
        await wait(5);
      }
      response.end("data: [DONE]\n\n");
    });
    for (const options of [{ timeout: { body: 100, total: 400 } }]) {
      let chunks = 0;
      const error = await caught(
        (async () => {
          for await (const _ of await client.completions.create({ ...request, stream: true }, options)) {
            if (chunks++ < 1) await wait(250);
          }
        })(),
      );
      expect(error).toMatchObject({
        code: "stream_interrupted",
        reason: "timeout",
        cause: { code: "timeout", limit: "total", timeout: 400 },
      });
      expect(chunks).toBeGreaterThan(5);
    }
  });

  it("repeats a timed-out request only when it is allowed to", async () => {
    const script: Script = (_, response, nth) => (nth === 0 ? undefined : json(response, 200, answer()));
    const timeout = { headers: 80 };
    const plain = await setup(script);
    await caught(plain.client.completions.create(request, { timeout }));
    const never = await setup(script, { retry: "never" });
    await caught(never.client.completions.create({ ...request, seed: 1 }, { timeout }));
    expect([plain.server.seen.length, never.server.seen.length]).toEqual([1, 1]);
    const always = await setup(script);
    await always.client.completions.create(request, { timeout, retry: "always" });
    const seeded = await setup(script);
    await seeded.client.completions.create({ ...request, seed: 1 }, { timeout });
    expect([always.server.seen.length, seeded.server.seen.length]).toEqual([2, 2]);
  });
});
