import { spawn } from "node:child_process";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { ServerError, startServer } from "../src/index.ts";
import { frames, openStream } from "./stream-support.ts";
import { start, tinyConfig, tinyModel, type Running } from "./support.ts";

const open: Running[] = [];
const launch = async (...options: Parameters<typeof start>) => {
  const running = await start(...options);
  open.push(running);
  return running;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((running) => running.close()));
});

test("models lists the model with its capabilities, not its uncatalogued twin", async () => {
  const running = await launch();
  const { status, body } = await running.get("/v1/models");
  expect(status).toBe(200);
  expect(body).toEqual({
    object: "list",
    data: [
      {
        id: "tiny",
        object: "model",
        owned_by: "residua",
        served_model_name: "residua/tiny",
        status: "live",
        capabilities: {
          max_model_len: tinyConfig.max_position_embeddings,
          n_layers: tinyConfig.num_hidden_layers,
          hidden_size: tinyConfig.hidden_size,
          vocab_size: tinyConfig.vocab_size,
          bos_token_id: 0,
          max_logprobs: 100,
          max_output_work_tokens: 32000,
          max_inflight_per_key: 16,
          max_queued_per_key: 64,
          logprobs: true,
          prompt_logprobs: true,
          prompt_logprobs_full_vocab: true,
          full_vocab_max_prompt_tokens: 256,
          activations: true,
          max_steering_vectors: 8,
        },
      },
    ],
  });
  const twin = await running.complete({ model: "tiny-uncatalogued", prompt: "a", max_tokens: 1 });
  expect([twin.status, twin.body.model]).toEqual([200, "residua/tiny"]);
  for (const path of ["/health", "/v1/health"])
    expect((await running.get(path)).body).toEqual({ status: "ok" });
});

describe("keys", () => {
  const apiKey = "acs-bm-secret-of-the-test";

  test("each form of a missing or wrong key, and the right one", async () => {
    const running = await launch({ apiKey });
    for (const [authorization, code] of [
      [undefined, "missing_authorization"],
      [apiKey, "missing_authorization"],
      ["Basic abc", "missing_authorization"],
      ["Bearer ", "missing_authorization"],
      ["Bearer nope", "invalid_api_key"],
      [`Bearer ${apiKey}x`, "invalid_api_key"],
    ] as const) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      for (const answer of [
        await running.get("/v1/models", headers),
        await running.complete({ prompt: "a" }, headers),
      ]) {
        expect([answer.status, answer.body.error.code]).toEqual([401, code]);
        expect(answer.headers.get("www-authenticate")).toBe("Bearer");
        expect(JSON.stringify(answer.body)).not.toContain(apiKey);
      }
    }
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect((await running.get("/v1/models", { authorization: `${scheme} ${apiKey}` })).status).toBe(200);
    }
    expect((await running.get("/health")).status).toBe(200);
    expect(running.logged).toEqual([]);
  });

  test("beyond loopback the server starts only with a key", async () => {
    for (const host of ["0.0.0.0", "::", "192.168.0.1", "example.com", "127.0.0.1.example.com"]) {
      await expect(startServer({ model: "/nowhere", host })).rejects.toMatchObject({
        code: "api_key_required",
      });
    }
    const running = await launch({ host: "0.0.0.0", apiKey });
    const port = new URL(running.server.url).port;
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  });
});

test("a port in use is one clear error", async () => {
  const running = await launch();
  const port = Number(new URL(running.server.url).port);
  const second = startServer({ model: tinyModel, port });
  await expect(second).rejects.toBeInstanceOf(ServerError);
  await expect(second).rejects.toMatchObject({
    code: "port_in_use",
    message: `port ${port} on 127.0.0.1 is in use; choose another, or 0 for a free one`,
  });
});

describe("closing", () => {
  test("answers what is under way, then refuses connections", async () => {
    const running = await launch();
    const slow = running.complete({ prompt: "The", n: 20, max_tokens: 300, temperature: 60, seed: 1 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const closed = running.server.close();
    const { status, body } = await slow;
    expect([status, body.choices.length]).toEqual([200, 20]);
    await closed;
    await running.server.close();
    await expect(fetch(running.server.url)).rejects.toThrow();
  });

  test("answers every request that was sent, also on connections that were not taken yet", async () => {
    const running = await launch();
    const busy = running.complete({ prompt: "The", n: 20, max_tokens: 300, temperature: 60, seed: 1 });
    await sleep(60);
    const sent = Array.from({ length: 40 }, () => {
      const one = request(`${running.server.url}/completions`, { method: "POST", agent: false });
      const answer = once(one, "response") as Promise<[IncomingMessage]>;
      one.end(JSON.stringify({ model: "tiny", prompt: "The", max_tokens: 3, temperature: 0 }));
      return { connected: once(one, "socket").then(([socket]) => once(socket as Socket, "connect")), answer };
    });
    await Promise.all(sent.map(({ connected }) => connected));
    const closed = running.server.close();
    const statuses = await Promise.all(
      sent.map(async ({ answer }) => {
        const [response] = await answer;
        response.resume();
        return response.statusCode;
      }),
    );
    expect(statuses).toEqual(Array(40).fill(200));
    expect((await busy).status).toBe(200);
    await closed;
  });

  test("a closed connection ends its generation", async () => {
    const running = await launch();
    const leave = new AbortController();
    // What came once comes for ever: no choice ends early.
    const long = { prompt: "The", n: 32, max_tokens: 1000, repetition_penalty: 0.01 };
    const body = JSON.stringify({ model: "tiny", ...long });
    const leaving = fetch(`${running.server.url}/completions`, {
      method: "POST",
      body,
      signal: leave.signal,
    });
    const left = expect(leaving).rejects.toThrow();
    setTimeout(() => leave.abort(), 150);
    await left;
    await running.server.close();
    while (running.model.stats().active > 0) await sleep(5);
    // All of them would be 32 000.
    expect(running.model.stats().generatedTokens).toBeLessThan(16_000);
    expect(running.logged).toEqual([]);
  });

  test("connections on which nothing was sent do not hold the server open, used ones neither", async () => {
    const running = await launch();
    const { port } = new URL(running.server.url);
    const unused = connect(Number(port), "127.0.0.1");
    await once(unused, "connect");
    const closed = once(unused, "close");
    expect((await running.complete({ prompt: "a", max_tokens: 1 })).status).toBe(200);
    const began = performance.now();
    await running.server.close();
    expect(performance.now() - began).toBeLessThan(10_000);
    await closed;
  });

  test("half a request does not hold the server open longer than drainTimeout", async () => {
    const running = await launch({ drainTimeout: 100 });
    const half = request(`${running.server.url}/completions`, {
      method: "POST",
      headers: { "content-length": 99 },
    });
    const cut = once(half, "error");
    half.write("{");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await running.server.close();
    await cut;
    expect(running.logged).toEqual([]);
  });

  test("a stream that outlasts drainTimeout is cut, without [DONE]", async () => {
    const running = await launch({ drainTimeout: 100 });
    const response = await openStream(running, { prompt: "The", n: 31, max_tokens: 1000, temperature: 90 });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const frame of frames(response)) seen.push(frame);
    })();
    const cut = expect(reading).rejects.toThrow();
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The model goes at once, too.
    await running.close();
    await cut;
    expect(seen).not.toContain("[DONE]");
    expect(running.logged).toEqual([]);
  });

  test("SIGTERM drains, frees everything and lets the process end by itself", async () => {
    const script = `
      import { startServer } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
      const server = await startServer({ model: ${JSON.stringify(tinyModel)}, closeOnSignals: true });
      console.log(server.url);`;
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e", script],
      {
        cwd: fileURLToPath(new URL("..", import.meta.url)),
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const exited = once(child, "exit");
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const slow = fetch(`${line.toString().trim()}/completions`, {
      method: "POST",
      body: JSON.stringify({
        model: "tiny",
        prompt: "The",
        n: 20,
        max_tokens: 200,
        temperature: 60,
        seed: 1,
      }),
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    child.kill("SIGTERM");
    expect(((await (await slow).json()) as { choices: unknown[] }).choices.length).toBe(20);
    expect(await exited).toEqual([0, null]);
  });
});
