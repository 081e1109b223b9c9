import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { APIAbortError } from "../../src/index.ts";
import { caught, closing, request, setup } from "../client-support.ts";
import { answer, faultServer, json, type Script } from "../fault-server.ts";
import { createClient } from "../../src/index.ts";

const chunk = `data: ${JSON.stringify({ ...answer(0), choices: [] })}\n\n`;
const endless: Script = async (_, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  while (!response.destroyed) {
    response.write(chunk);
    await wait(2);
  }
};
const half: Script = (_, response) => void response.writeHead(200).write('{"id":');

describe("a signal", () => {
  it.each<[string, Script]>([
    ["before the headers", () => undefined],
    ["in the body", half],
  ])("ends a request %s, frees the socket, and opens no new one", async (_, script) => {
    for (const options of [{}, { fetch }]) {
      const { server, client } = await setup(script, options);
      const controller = new AbortController();
      const pending = caught(
        client.completions.create({ ...request, seed: 1 }, { signal: controller.signal }),
      );
      await expect.poll(() => server.seen.length).toBe(1);
      await wait(20);
      controller.abort();
      expect(await pending).toBeInstanceOf(APIAbortError);
      await expect.poll(() => server.open().size).toBe(0);
      await wait(50);
      // fetch opens one more, which is not ours to say.
      if (!("fetch" in options)) expect(server.opened()).toBe(1);
    }
  });

  it("ends a stream, whether it is being read or not", async () => {
    const { server, client } = await setup(endless);
    for (const read of [true, false]) {
      const controller = new AbortController();
      const stream = await client.completions.create(
        { ...request, stream: true },
        { signal: controller.signal },
      );
      const reading = caught(
        (async () => {
          if (!read) await wait(30);
          for await (const _ of stream);
        })(),
      );
      await wait(10);
      controller.abort();
      await expect.poll(() => server.open().size).toBe(0);
      expect(await reading).toBeInstanceOf(APIAbortError);
    }
    expect(server.opened()).toBe(2);
  });

  it("takes a request out of the queue for a connection, and costs no connection", async () => {
    const answers: (() => void)[] = [];
    const { server, client } = await setup(
      (_, response) => void answers.push(() => json(response, 200, answer())),
      { connections: 1 },
    );
    const first = client.completions.create(request);
    await expect.poll(() => answers.length).toBe(1);
    const controller = new AbortController();
    const second = caught(client.completions.create(request, { signal: controller.signal }));
    const third = client.completions.create(request);
    controller.abort();
    expect(await second).toBeInstanceOf(APIAbortError);
    answers[0]?.();
    await first;
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.();
    await third;
    expect([server.seen.length, server.opened()]).toEqual([2, 1]);
  });

  it("may be shared by many requests without a warning", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    const { server, client } = await setup(() => undefined);
    const controller = new AbortController();
    const all = Array.from({ length: 40 }, () =>
      caught(client.completions.create(request, { signal: controller.signal })),
    );
    await expect.poll(() => server.seen.length).toBe(40);
    controller.abort();
    for (const error of await Promise.all(all)) expect(error).toBeInstanceOf(APIAbortError);
    await expect.poll(() => server.open().size).toBe(0);
    await wait(10);
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("ends a fetch that stays pending for ever, and a read that does", async () => {
    const pendingFetch: typeof fetch = () => new Promise(() => undefined);
    const pendingRead: typeof fetch = () =>
      Promise.resolve(new Response(new ReadableStream({ pull: () => new Promise(() => undefined) })));
    for (const stuck of [pendingFetch, pendingRead]) {
      const client = createClient({ baseURL: "http://h/v1", apiKey: "", fetch: stuck });
      const error = await caught(client.completions.create(request, { signal: AbortSignal.timeout(30) }));
      expect(error).toBeInstanceOf(APIAbortError);
      expect(await caught(client.completions.create(request, { timeout: 30 }))).toMatchObject({
        limit: "total",
      });
    }
  });
});

describe("connections", () => {
  it("are never more than the cap, and every request is served", async () => {
    const { server, client } = await setup(
      async (_, response) => {
        await wait(3);
        json(response, 200, answer());
      },
      { connections: 4 },
    );
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, server.open().size)), 1);
    await Promise.all(Array.from({ length: 60 }, () => client.completions.create(request)));
    clearInterval(watch);
    expect([server.seen.length, server.opened(), most]).toEqual([60, 4, 4]);
  });

  it("a client that was closed says so, and does not try again", async () => {
    const server = closing(await faultServer(() => undefined));
    const client = createClient({ baseURL: server.url, apiKey: "" });
    await client.close();
    expect(await caught(client.completions.create({ ...request, seed: 1 }))).toMatchObject({
      reason: expect.stringMatching(/^UND_ERR_(CLOSED|DESTROYED)$/) as unknown,
      attempts: 1,
    });
  });

  it("that the server closed all at once cost no request, even with no tries left", async () => {
    let restarted = false;
    const { server, client } = await setup(
      async (seen, response) => {
        // The old connections break as soon as they are used again.
        if (restarted && seen.socket < 3) return void response.socket?.destroy();
        await wait(10);
        json(response, 200, answer());
      },
      { maxRetries: 0 },
    );
    await Promise.all([1, 2, 3].map(() => client.completions.create(request)));
    await wait(30);
    restarted = true;
    expect((await client.completions.create(request)).id).toBe("cmpl-1");
    expect(server.seen.length).toBeGreaterThan(4);
    const never = await setup(
      (_, response, nth) => (nth === 0 ? json(response, 200, answer()) : void response.socket?.destroy()),
      { retry: "never" },
    );
    await never.client.completions.create(request);
    await wait(30);
    expect(await caught(never.client.completions.create(request))).toMatchObject({
      code: "connection_error",
    });
  });
});
