import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerTo, rawSocket, statuses } from "./raw-socket.ts";
import { accepted, start, type Running } from "./support.ts";

let running: Running;
beforeAll(async () => {
  running = await start({ requestTimeout: 600 });
});
afterAll(async () => {
  await running.close();
  expect(running.logged).toEqual([]);
});

const send = (text: string) => answerTo(rawSocket(running), text);
const get = "GET /health HTTP/1.1\r\nHost: x\r\n";
const last = `${get}Connection: close\r\n\r\n`;
const body = JSON.stringify({ model: "tiny", prompt: "a", max_tokens: 1 });
const post = (headers: string) => `POST /v1/completions HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe("headers", () => {
  test("16 KiB are taken, more are 431 and the connection closes", async () => {
    const sized = (bytes: number) => `${get}X-Long: ${"a".repeat(bytes)}\r\nConnection: close\r\n\r\n`;
    expect(statuses(await send(sized(15_000)))).toEqual([200]);
    expect(statuses(await send(sized(17_000)))).toEqual([431]);
  });

  test("a thousand short ones are taken, more bytes than that are not", async () => {
    const many = (count: number) => `${get}${"a:b\r\n".repeat(count)}Connection: close\r\n\r\n`;
    expect(statuses(await send(many(1000)))).toEqual([200]);
    expect(statuses(await send(many(10_000)))).toEqual([431]);
  });
});

describe("slow senders", () => {
  /** A byte now and then, for ever. */
  async function trickle(start: string): Promise<{ answer: string; after: number }> {
    const socket = rawSocket(running);
    const began = performance.now();
    const drip = setInterval(() => start !== "" && socket.write("a"), 40);
    const answer = await answerTo(socket, start);
    clearInterval(drip);
    return { answer, after: performance.now() - began };
  }

  test.each([
    ["headers", `${get}X-Slow: `],
    ["a body", post("Content-Length: 100000\r\n")],
    ["a chunked body", post("Transfer-Encoding: chunked\r\n") + "ffff\r\n"],
    ["nothing at all", ""],
  ])("of %s are given up with 408, and nobody waits for them", async (_, start) => {
    const slow = trickle(start);
    await accepted(running, { prompt: "a", max_tokens: 1 });
    const { answer, after } = await slow;
    expect(statuses(answer)).toEqual([408]);
    expect(after).toBeGreaterThan(500);
    expect(after).toBeLessThan(10_000);
  });
});

describe("several requests on one connection", () => {
  test("sent at once are answered in their order", async () => {
    const whole = post(`Content-Length: ${body.length}\r\n`) + body;
    const answer = await send(`${get}\r\n${whole}${get}\r\n${whole}${last}`);
    expect(statuses(answer)).toEqual([200, 200, 200, 200, 200]);
    const parts = answer.split("HTTP/1.1 200").slice(1);
    const kinds = parts.map((part) => (part.includes("text_completion") ? "completion" : "health"));
    expect(kinds).toEqual(["health", "completion", "health", "completion", "health"]);
  });

  test("after an error of the server's own rules the next one is answered too", async () => {
    const bad = post("Content-Length: 2\r\n") + "{}";
    expect(statuses(await send(`${bad}${get}X-Other: 1\r\n\r\n${last}`))).toEqual([400, 200, 200]);
  });
});

describe("what could be read as two requests", () => {
  const smuggled = "GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n";
  test.each([
    ["both lengths", post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`) + `0\r\n\r\n${smuggled}`],
    ["two lengths", post("Content-Length: 0\r\nContent-Length: 40\r\n") + smuggled],
    ["a length with a sign", post("Content-Length: +5\r\n") + smuggled],
    ["a length that is no number", post("Content-Length: 0x10\r\n") + smuggled],
    ["an unknown coding", post("Transfer-Encoding: chunked, identity\r\n") + `0\r\n\r\n${smuggled}`],
    ["a space before the colon", post("Transfer-Encoding : chunked\r\n") + `0\r\n\r\n${smuggled}`],
    ["a folded header", post("X-A: b\r\n Transfer-Encoding: chunked\r\n") + `0\r\n\r\n${smuggled}`],
    ["a chunk size that is none", post("Transfer-Encoding: chunked\r\n") + `zz\r\n${smuggled}`],
    [
      "a chunk longer than its size",
      post("Transfer-Encoding: chunked\r\n") + `1\r\nabc\r\n0\r\n\r\n${smuggled}`,
    ],
    ["no host", "GET /health HTTP/1.1\r\n\r\n"],
    ["another protocol", "GET /health HTTP/9.9\r\nHost: x\r\n\r\n"],
    ["no HTTP", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"],
    ["a NUL in a header", `${get}X-A: a\u0000b\r\n\r\n`],
  ])("%s: 400, nothing else is answered, and the connection closes", async (_, text) => {
    expect(statuses(await send(text))).toEqual([400]);
  });

  test("any bytes are answered 4xx or closed, and the server goes on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("", get, post("")),
        fc.string({ unit: "binary", maxLength: 200 }),
        async (start, junk) => {
          const answer = await answerTo(rawSocket(running), `${start}${junk}\r\n\r\n`, { end: true });
          for (const status of statuses(answer)) expect([200, 400, 404, 405, 408, 431]).toContain(status);
        },
      ),
      { numRuns: 100 },
    );
    await sleep(10);
    await accepted(running, { prompt: "a", max_tokens: 1 });
  });
});
