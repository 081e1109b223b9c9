import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { APIAbortError, APIError, type StreamInterrupted } from "../../src/index.ts";
import { caught, setup } from "../client-support.ts";
import { answer, json } from "../fault-server.ts";
import { done, event, readAll, textEvent, usageEvent } from "./stream-of.ts";

const request = { model: "llama-8b", prompt: "The sky is", max_tokens: 2, stream: true } as const;
const head = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });
const whole = [textEvent(" deep"), textEvent(" and", { finish_reason: "length" }), usageEvent, done];

/** Writes as fast as the socket takes it, until it is gone; says how much that was. */
async function pour(response: ServerResponse, text: string, written: { bytes: number }): Promise<void> {
  const gone = new Promise((resolve) => response.on("close", resolve));
  while (!response.destroyed) {
    written.bytes += text.length;
    if (!response.write(text))
      await Promise.race([new Promise((resolve) => response.once("drain", resolve)), gone]);
  }
}

describe("a stream that breaks", () => {
  it("is interrupted by a reset, with what arrived", async () => {
    const { server, client } = await setup(async (_, response) => {
      head(response);
      response.write(whole.slice(0, 3).join(""));
      await setTimeout(20);
      response.socket?.resetAndDestroy();
    });
    const error = (await caught(readAll(await client.completions.create(request)))) as StreamInterrupted;
    expect(error).toMatchObject({ code: "stream_interrupted", reason: "connection", chunks: 3 });
    expect(error.usage).toMatchObject({ total_tokens: 6 });
    expect(error.textOf(0)).toBe(" deep and");
    expect(error.cause).toMatchObject({ code: "connection_error" });
    expect(server.seen).toHaveLength(1);
  });

  it("is interrupted by a body that is cut, and by one that ends", async () => {
    const { client } = await setup((_, response, nth) => {
      head(response);
      response.write(whole[0] + whole[1]!.slice(0, 30));
      if (nth === 0) response.end();
      else void setTimeout(20).then(() => response.destroy());
    });
    for (const reason of ["end", "connection"]) {
      const error = await caught(readAll(await client.completions.create(request)));
      expect(error).toMatchObject({ code: "stream_interrupted", reason, chunks: 1 });
    }
  });

  it("is interrupted by the timeout", async () => {
    const { server, client } = await setup((_, response) => {
      head(response).write(whole[0]);
    });
    const stream = await client.completions.create(request, { timeout: 150 });
    const error = await caught(readAll(stream));
    expect(error).toMatchObject({ code: "stream_interrupted", reason: "timeout", chunks: 1 });
    expect((error as Error).cause).toMatchObject({ code: "timeout" });
    await expect.poll(() => server.open().has(0)).toBe(false);
  });

  it("that never began is tried again as any request", async () => {
    const { server, client } = await setup((_, response, nth) => {
      if (nth === 0) return json(response, 503, { error: { message: "m", code: "queue_full" } });
      head(response).end(whole.join(""));
      return undefined;
    });
    expect(await readAll(await client.completions.create(request))).toHaveLength(3);
    expect(server.seen).toHaveLength(2);
  });
});

describe("an answer that is no stream", () => {
  it.each([
    [400, { error: { message: "no", code: "invalid_request" } }, { status: 400, code: "invalid_request" }],
    [200, { error: { message: "late", code: "late_refusal" } }, { status: 200, code: "late_refusal" }],
    [200, answer(), { status: 200, code: "unexpected_response" }],
  ])("%i %j is an error before any chunk", async (status, body, expected) => {
    const { client } = await setup((_, response) => json(response, status, body), {
      maxRetries: 0,
    });
    const error = await caught(client.completions.create(request));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject(expected);
  });
});

describe("the connection", () => {
  it("is closed when the loop is left, by break and by a throw", async () => {
    const closed: number[] = [];
    const { server, client } = await setup(async (_, response, nth) => {
      response.on("close", () => closed.push(nth));
      head(response);
      while (!response.destroyed) {
        response.write(textEvent("a"));
        await setTimeout(1);
      }
    });
    for await (const _ of await client.completions.create(request)) break;
    const failing = async () => {
      for await (const _ of await client.completions.create(request)) throw new Error("of the loop");
    };
    expect(await caught(failing())).toMatchObject({ message: "of the loop" });
    await expect.poll(() => closed).toEqual([0, 1]);
    expect(server.open().has(0)).toBe(false);
  });

  it("is closed by abort while nothing comes, and when nothing was read at all", async () => {
    const closed: number[] = [];
    const { client } = await setup((_, response, nth) => {
      response.on("close", () => closed.push(nth));
      head(response).flushHeaders();
    });
    const waiting = await client.completions.create(request);
    const failed = caught(readAll(waiting));
    await setTimeout(20);
    waiting.abort();
    expect(await failed).toBeInstanceOf(APIAbortError);
    (await client.completions.create(request)).abort();
    await (await client.completions.create(request))[Symbol.asyncDispose]();
    const controller = new AbortController();
    const { signal } = controller;
    const signalled = caught(readAll(await client.completions.create(request, { signal })));
    controller.abort();
    expect(await signalled).toBeInstanceOf(APIAbortError);
    await expect.poll(() => closed.sort()).toEqual([0, 1, 2, 3]);
  });

  it("leaves no timer behind", async () => {
    const { client } = await setup((_, response, nth) => {
      head(response).write(whole[0]);
      if (nth % 2 === 0) response.end(whole.slice(1).join(""));
    });
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    for (let i = 0; i < 20; i++) {
      const stream = await client.completions.create(request);
      if (i % 2 === 0) await readAll(stream);
      else if (i % 4 === 1) stream.abort();
      else for await (const _ of stream) break;
    }
    await expect.poll(timers).toBeLessThan(before + 10);
  });

  it("is kept after [DONE] and after an error of the server, though the body ends a little later", async () => {
    const failure = event({ error: { message: "m", code: "c" } });
    const { server, client } = await setup(async (_, response, nth) => {
      head(response).write(nth % 2 === 0 ? whole.join("") : failure);
      await setTimeout(5);
      response.end(nth % 2 === 0 ? "" : done);
    });
    for (let i = 0; i < 6; i++) {
      const chunks = readAll(await client.completions.create(request));
      if (i % 2 === 0) expect(await chunks).toHaveLength(3);
      else expect(await caught(chunks)).toMatchObject({ code: "c" });
      await setTimeout(150); // until the pool has the connection back
    }
    expect(new Set(server.seen.map(({ socket }) => socket)).size).toBe(1);
  });

  it("is closed when the server goes on after [DONE]", async () => {
    const written = { bytes: 0 };
    const { server, client } = await setup((_, response, nth) => {
      head(response).write(whole.join(""));
      // The first says no more, but does not end; the second does not stop talking.
      return nth === 0 ? undefined : pour(response, ": more\n".repeat(1000), written);
    });
    for (const socket of [0, 1]) {
      expect(await readAll(await client.completions.create(request))).toHaveLength(3);
      await expect.poll(() => server.open().has(socket), { timeout: 3000 }).toBe(false);
    }
    expect(written.bytes).toBeGreaterThan(0);
  });
});

describe("bytes that trickle or flood", () => {
  it("come one by one", async () => {
    const bytes = Buffer.from([textEvent("👋🏽"), textEvent("日本"), done].join(""));
    const { client } = await setup(async (_, response) => {
      head(response);
      response.socket?.setNoDelay();
      for (let i = 0; i < bytes.length; i++) {
        response.write(bytes.subarray(i, i + 1));
        if (i % 8 === 0) await setTimeout(0);
      }
      response.end();
    });
    const stream = await client.completions.create(request);
    await readAll(stream);
    expect(stream.textOf(0)).toBe("👋🏽日本");
  });

  it("are held back while the reader is slow", async () => {
    const written = { bytes: 0 };
    const text = textEvent("a".repeat(1000)).repeat(10);
    const { client } = await setup((_, response) => pour(head(response), text, written));
    const chunks = (await client.completions.create(request))[Symbol.asyncIterator]();
    await chunks.next();
    let before = -1;
    // Until the sockets of both sides are full.
    while (before !== written.bytes) {
      before = written.bytes;
      await setTimeout(200);
    }
    expect(written.bytes).toBeLessThan(32 * 2 ** 20);
    for (let i = 0; i < 20_000; i++) await chunks.next();
    await expect.poll(() => written.bytes).toBeGreaterThan(before);
    await chunks.return!();
  });

  it.each([
    ["an endless line", "data: " + "x".repeat(65_530)],
    ["an endless event", "data: x\n".repeat(8192)],
    ["an endless comment", ": " + "x".repeat(65_534)],
  ])("of %s end the stream at longestEvent", async (name, text) => {
    const written = { bytes: 0 };
    let first = true;
    const { server, client } = await setup(
      (_, response) => {
        if (first) head(response).write(whole[0]);
        first = false;
        const flood = name === "an endless event" ? text : text.replaceAll(/^.*$/g, "x".repeat(65_536));
        response.write(text);
        return pour(response, flood, written);
      },
      { longestEvent: 2 ** 20 },
    );
    const stream = await client.completions.create(request);
    expect(await caught(readAll(stream))).toMatchObject({
      code: "event_too_long",
      data: { longestEvent: 2 ** 20 },
    });
    expect(stream.textOf(0)).toBe(" deep");
    expect(written.bytes).toBeLessThan(64 * 2 ** 20);
    await expect.poll(() => server.open().has(0)).toBe(false);
  });

  it("of comments and chunks do not grow memory", async () => {
    const text = `: keepalive\n\n${event({ id: "x", choices: [] })}`.repeat(500);
    const written = { bytes: 0 };
    const { client } = await setup((_, response) => pour(head(response), text, written));
    let chunks = 0;
    let heap = 0;
    for await (const _ of await client.completions.create(request)) {
      chunks++;
      if (chunks === 20_000) heap = process.memoryUsage().heapUsed;
      if (chunks === 400_000) break;
    }
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(64 * 2 ** 20);
  });
});
