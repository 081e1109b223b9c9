import { getEventListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  APIAbortError,
  APIConnectionError,
  APIError,
  APITimeoutError,
  createClient,
  InvalidRequestError,
  ResiduaError,
} from "../src/index.ts";
import { caught, closing, request, setup, testKey as key } from "./client-support.ts";
import { answer, faultServer, json, type Script } from "./fault-server.ts";

describe("completions.create", () => {
  it("sends only what was set, with the key, and reads the answer", async () => {
    const { server, client } = await setup((_, response) => json(response, 200, answer(4)));
    const completion = await client.completions.create({
      ...request,
      prompt: ["The sky is", "The grass is"],
      n: 2,
      seed: undefined,
    });
    const [seen] = server.seen;
    expect(seen?.path).toBe("/v1/completions");
    expect(seen?.headers.authorization).toBe(`Bearer ${key}`);
    expect(seen?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(seen?.body ?? "")).toEqual({
      ...request,
      prompt: ["The sky is", "The grass is"],
      n: 2,
    });
    expect(completion.choicesOf(1).map(({ text }) => text)).toEqual([" choice 2", " choice 3"]);
    expect(() => completion.choicesOf(2)).toThrow(RangeError);
    expect(Object.keys(JSON.parse(JSON.stringify(completion)) as object)).not.toContain("choicesOf");
    expect((completion as Record<string, unknown>).kv_transfer_params).toBeNull();
  });

  it("refuses what is no request by its promise", async () => {
    const { server, client } = await setup((_, response) => json(response, 200, answer()));
    for (const bad of [null, undefined, "text", []])
      expect(await caught(client.completions.create(bad as never))).toBeInstanceOf(InvalidRequestError);
    expect(server.seen).toHaveLength(0);
  });

  it("refuses before sending", async () => {
    const { server, client } = await setup((_, response) => json(response, 200, answer()));
    const error = await caught(client.completions.create({ ...request, temperature: 101 }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toBe(
      "invalid completion request, nothing was sent: temperature: 101; allowed: a number from 0 to 100",
    );
    expect(server.seen).toHaveLength(0);
  });

  it("puts choices in index order and refuses an answer with others", async () => {
    const { choices, ...rest } = answer(2);
    const swapped = { ...rest, choices: [...(choices as object[])].reverse() };
    const { client } = await setup((_, response, nth) =>
      json(response, 200, nth === 0 ? swapped : answer(3)),
    );
    const two = { ...request, n: 2 };
    expect((await client.completions.create(two)).choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(await caught(client.completions.create(two))).toMatchObject({
      code: "choices_mismatch",
      status: 200,
    });
  });

  it("takes leading white space, and an error inside a 200", async () => {
    const { client } = await setup(
      (_, response, nth) =>
        nth === 0
          ? json(response, 200, `${" ".repeat(4096)}\n${JSON.stringify(answer())}`)
          : json(response, 200, {
              error: { message: "no", type: "invalid_request_error", code: "late_refusal" },
            }),
      { maxRetries: 0 },
    );
    expect((await client.completions.create(request)).choices).toHaveLength(1);
    expect(await caught(client.completions.create(request))).toMatchObject({
      code: "late_refusal",
      status: 200,
    });
  });

  it("sends with the given fetch", async () => {
    let calls = 0;
    const counted: typeof fetch = (...args) => (calls++, fetch(...args));
    const { client } = await setup((_, response) => json(response, 200, answer()), { fetch: counted });
    expect((await client.completions.create(request)).id).toBe("cmpl-1");
    expect(calls).toBe(1);
  });
});

describe("error bodies", () => {
  const forms: [string, number, string, object][] = [
    [
      "the envelope",
      400,
      JSON.stringify({
        error: { message: "n: too many", type: "invalid_request_error", code: "invalid_request" },
        request_id: "req_1",
      }),
      { code: "invalid_request", type: "invalid_request_error", requestID: "req_1" },
    ],
    [
      "vLLM's integer code",
      400,
      JSON.stringify({ error: { message: "bad", type: "BadRequestError", param: "top_p", code: 400 } }),
      { code: "http_400", param: "top_p" },
    ],
    ["a string", 401, JSON.stringify({ error: "Unauthorized" }), { code: "unauthorized" }],
    ["FastAPI's detail", 404, JSON.stringify({ detail: "Not Found" }), { code: "http_404" }],
    [
      "FastAPI's list",
      422,
      JSON.stringify({ detail: [{ loc: ["body", "n"], msg: "too big", type: "x" }] }),
      { code: "http_422", param: "body.n" },
    ],
    ["raw", 500, JSON.stringify({ raw: "boom" }), { code: "http_500" }],
    [
      "OctoAI's top level",
      500,
      JSON.stringify({ object: "error", message: "boom", type: "server", code: null }),
      { code: "http_500", type: "server" },
    ],
    ["no JSON", 502, "<html>Bad gateway</html>", { code: "http_502" }],
    ["nothing", 500, "", { code: "http_500" }],
    ["a text in a 200", 200, "hello", { code: "unexpected_response" }],
    ["another object in a 200", 200, "{}", { code: "unexpected_response" }],
    ["a 200 cut short", 200, `   {"id": "cmpl-1", "choi`, { code: "incomplete_response", retryable: true }],
    ["white space only", 200, " ".repeat(2048), { code: "incomplete_response" }],
  ];
  it.each(forms)("reads %s", async (_, status, body, expected) => {
    const { client } = await setup(
      (__, response) => json(response, status, body, { "x-request-id": "req_h" }),
      { maxRetries: 0 },
    );
    const error = await caught(client.completions.create(request));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status, requestID: "req_h", ...expected });
    expect((error as APIError).body.length).toBeLessThanOrEqual(2000);
  });
});

describe("retries", () => {
  const error = (code: string) => ({ error: { message: "no", type: "x", code } });
  const failing =
    (status: number, body: unknown, headers = {}): Script =>
    (_, response, nth) =>
      nth === 0 ? json(response, status, body, headers) : json(response, 200, answer());

  it.each([
    [429, error("rate_limited")],
    [429, error("queue_full")],
    [503, error("circuit_open")],
    [200, error("modal_cold_boot")],
  ])("asks again after %s", async (status, body) => {
    const { server, client } = await setup(failing(status, body));
    await client.completions.create(request);
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    [429, error("budget_exceeded")],
    [429, error("activation_quota_exceeded")],
    [400, error("invalid_request")],
    [401, { error: "Unauthorized" }],
    [500, error("internal_error")],
    [502, error("vllm_oom")],
  ])("does not ask again after %s %j", async (status, body) => {
    const { server, client } = await setup(failing(status, body));
    expect(await caught(client.completions.create({ ...request, temperature: 0 }))).toMatchObject({
      status,
      retryable: false,
    });
    expect(server.seen).toHaveLength(1);
  });

  it("asks again after a 502, a cut answer or a broken connection only when the answer would be the same", async () => {
    const faults: Script[] = [
      (_, response) => json(response, 502, { detail: "bad gateway" }),
      (_, response) => json(response, 200, '{"id": '),
      (_, response) => void response.socket?.destroy(),
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"id"');
        void setTimeout(10).then(() => response.socket?.destroy());
      },
    ];
    for (const fault of faults) {
      const script: Script = (seen, response, nth) =>
        nth === 0 ? fault(seen, response, nth) : json(response, 200, answer());
      const plain = await setup(script);
      expect(await caught(plain.client.completions.create(request))).toBeInstanceOf(ResiduaError);
      expect(plain.server.seen).toHaveLength(1);
      for (const repeatable of [{ temperature: 0 }, { seed: 7 }]) {
        const { server, client } = await setup(script);
        await client.completions.create({ ...request, ...repeatable });
        expect(server.seen).toHaveLength(2);
      }
    }
  });

  it("loses no request to a socket that a 500 closed without saying so", async () => {
    const { server, client } = await setup((_, response, nth) => {
      if (nth === 0) json(response, 200, answer());
      else if (nth === 1) response.socket?.destroy();
      else json(response, 200, answer());
    });
    await client.completions.create(request);
    await setTimeout(30); // until the pool has the connection back
    await client.completions.create(request);
    expect(server.seen.map(({ socket }) => socket)).toEqual([0, 0, 1]);
  });

  it("asks again when no connection came about, and says how often it tried", async () => {
    const gone = await faultServer(() => undefined);
    await gone.close();
    const client = createClient({
      baseURL: gone.url,
      apiKey: key,
      backoff: { first: 1, longest: 2 },
      maxRetries: 3,
    });
    closing(client);
    const refused = await caught(client.completions.create(request));
    expect(refused).toBeInstanceOf(APIConnectionError);
    expect(refused).toMatchObject({ reason: "ECONNREFUSED", attempts: 4 });
  });

  it("gives up after maxRetries", async () => {
    const { server, client } = await setup((_, response) => json(response, 503, error("circuit_open")));
    expect(await caught(client.completions.create(request))).toMatchObject({ attempts: 3, retryable: true });
    await caught(client.completions.create(request, { maxRetries: 0 }));
    expect(server.seen).toHaveLength(4);
  });

  it("waits as long as the server says, and does not wait longer than is allowed", async () => {
    const { client } = await setup(failing(429, error("rate_limited"), { "retry-after": "0.3" }));
    const start = performance.now();
    await client.completions.create(request);
    expect(performance.now() - start).toBeGreaterThan(280);

    const body = { error: { message: "no", type: "x", code: "circuit_open", retry_after_seconds: 0.2 } };
    const inBody = await setup(failing(503, body));
    const again = performance.now();
    await inBody.client.completions.create(request);
    expect(performance.now() - again).toBeGreaterThan(180);

    const long = await setup(failing(429, error("rate_limited"), { "retry-after": "3600" }));
    expect(await caught(long.client.completions.create(request))).toMatchObject({ retryAfter: 3600 });
    expect(long.server.seen).toHaveLength(1);
  });
});

describe("time and signals", () => {
  it("ends a slow answer at the timeout, before headers and between bytes", async () => {
    const hung: Script[] = [
      () => undefined,
      (_, response) => {
        response.writeHead(200);
        response.write(" ");
      },
    ];
    for (const script of hung) {
      const { client } = await setup(script);
      const error = await caught(client.completions.create(request, { timeout: 80 }));
      expect(error).toBeInstanceOf(APITimeoutError);
      expect(error).toMatchObject({ code: "timeout", timeout: 80 });
    }
  });

  it("waits as long as the timeout while the server trickles white space", async () => {
    const { client } = await setup((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      let left = 8;
      const timer = setInterval(() => {
        response.write(" ".repeat(1024));
        if (--left > 0) return;
        clearInterval(timer);
        response.end(JSON.stringify(answer()));
      }, 20);
    });
    expect((await client.completions.create(request, { timeout: 5000 })).id).toBe("cmpl-1");
  });

  it("frees the socket when the signal ends the request", async () => {
    const { server, client } = await setup(() => undefined);
    const controller = new AbortController();
    const pending = caught(client.completions.create(request, { signal: controller.signal }));
    await expect.poll(() => server.seen.length).toBe(1);
    expect(server.open().has(0)).toBe(true);
    controller.abort();
    expect(await pending).toBeInstanceOf(APIAbortError);
    await expect.poll(() => server.open().has(0)).toBe(false);
  });

  it("leaves nothing on a signal that lives long, and no timer behind", async () => {
    const { client } = await setup((_, response) => json(response, 200, answer()));
    const { signal } = new AbortController();
    for (let i = 0; i < 20; i++) await client.completions.create(request, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await expect
      .poll(() => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length)
      .toBeLessThan(10);
  });

  it("refuses settings that are no numbers", () => {
    for (const odd of [{ timeout: 0 }, { timeout: NaN }, { maxRetries: -1 }, { backoff: { first: NaN } }]) {
      expect(() => createClient({ baseURL: "http://127.0.0.1:1/v1", ...odd })).toThrow(ResiduaError);
    }
  });

  it("ends a wait between tries, and sends nothing when it is aborted already", async () => {
    const { server, client } = await setup((_, response) => json(response, 503, {}, { "retry-after": "30" }));
    const controller = new AbortController();
    const pending = caught(client.completions.create(request, { signal: controller.signal }));
    await expect.poll(() => server.seen.length).toBe(1);
    void setTimeout(20).then(() => controller.abort());
    expect(await pending).toBeInstanceOf(APIAbortError);
    expect(await caught(client.completions.create(request, { signal: AbortSignal.abort() }))).toBeInstanceOf(
      APIAbortError,
    );
    expect(server.seen).toHaveLength(1);
  });
});

describe("the key", () => {
  it("is in no rendering of the client", async () => {
    const { client } = await setup(() => undefined);
    const shown = [inspect(client, { depth: 9, showHidden: true }), JSON.stringify(client)].join();
    expect(shown).not.toContain("SECRET");
    expect(shown).toContain(client.baseURL);
  });

  it("is refused unshown when it cannot be a header, and out of the address", () => {
    for (const bad of [`${key}\n`, `${key}\u00e9`, `a${key}\r\nx: y`]) {
      const made = () => createClient({ baseURL: "http://127.0.0.1:1/v1", apiKey: bad });
      expect(made).toThrow(ResiduaError);
      expect(made).not.toThrow(/SECRET/);
    }
    for (const bad of ["", "ftp://x/v1", "nonsense", `http://u:${key}@h/v1`, `http://h/v1?key=${key}`]) {
      const made = () => createClient({ baseURL: bad });
      expect(made).toThrow(ResiduaError);
      expect(made).not.toThrow(/SECRET/);
    }
  });

  it("is in no error, wherever a server echoes it (property)", async () => {
    let reply: { status: number; body: string; headers: Record<string, string> } = {
      status: 500,
      body: "",
      headers: {},
    };
    const server = await faultServer((_, response) =>
      json(response, reply.status, reply.body, reply.headers),
    );
    closing(server);
    // The prefix keeps a key from being a word of the stack traces that are searched for it.
    const secret = fc.stringMatching(/^sk-[!-~]{8,40}$/);
    const place = fc.constantFrom(
      "message",
      "code",
      "type",
      "param",
      "string",
      "detail",
      "loc",
      "raw",
      "text",
      "header",
      "request_id",
      "cut",
    );
    await fc.assert(
      fc.asyncProperty(
        secret,
        place,
        fc.constantFrom(200, 400, 401, 429, 500, 502),
        fc.nat(3000),
        async (apiKey, where, status, pad) => {
          const echo = `${"x".repeat(pad)}${apiKey} tail`;
          const bodies: Record<string, unknown> = {
            string: { error: echo },
            detail: { detail: echo },
            loc: { detail: [{ loc: [echo], msg: echo }] },
            raw: { raw: echo },
            text: echo,
            cut: `{"${echo}`,
            header: { error: { message: "m", code: "c" } },
            request_id: { error: { message: "m", code: "c" }, request_id: echo },
          };
          const body = bodies[where] ?? { error: { message: "m", code: "c", [where]: echo } };
          const headers = where === "header" ? { "x-request-id": apiKey } : {};
          reply = {
            status,
            body: typeof body === "string" ? body : JSON.stringify(body),
            headers: headers,
          };
          const client = createClient({ baseURL: server.url, apiKey, maxRetries: 0 });
          const error = await caught(client.completions.create(request));
          await client.close();
          expect(error).toBeInstanceOf(APIError);
          const shown = [
            inspect(error, { depth: 9, showHidden: true }),
            JSON.stringify(error),
            String(error),
            (error as Error).stack,
          ];
          expect(shown.join("\n").includes(apiKey)).toBe(false);
          expect((error as APIError).body.includes(apiKey)).toBe(false);
          expect((error as APIError).message.includes(apiKey)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("completions.create with stream: true", () => {
  const chunk = (text: string) =>
    `data: ${JSON.stringify({ ...answer(0), choices: [{ index: 0, text }] })}\n\n`;

  it("gives the chunks, and closes the connection when the loop is left", async () => {
    const { server, client } = await setup(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let i = 0; !response.destroyed; i++) {
        response.write(chunk(` ${i}`));
        await setTimeout(1);
      }
    });
    const texts: string[] = [];
    for await (const { choices } of await client.completions.create({ ...request, stream: true })) {
      texts.push(choices[0]?.text ?? "");
      if (texts.length === 3) break;
    }
    expect(texts).toEqual([" 0", " 1", " 2"]);
    await expect.poll(() => server.open().has(0)).toBe(false);
  });
});
