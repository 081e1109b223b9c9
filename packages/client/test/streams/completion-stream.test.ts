import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { CompletionStream } from "../../src/index.ts";
import {
  APIAbortError,
  APIError,
  type CompletionChunk,
  ResiduaError,
  StreamInterrupted,
} from "../../src/index.ts";
import { caught } from "../client-support.ts";
import { done, event, head, readAll, streamOf, textEvent, usage, usageEvent } from "./stream-of.ts";

const two = [textEvent(" deep"), textEvent(" and", { finish_reason: "length" })];
const textsOf = (chunks: CompletionChunk[]) =>
  chunks.flatMap(({ choices }) => choices.map(({ text }) => text));

describe("a loop", () => {
  it("gives every chunk up to [DONE], with what the server added", async () => {
    const stream = await streamOf({ pieces: [": keepalive\n\n", ...two, usageEvent, done] });
    const chunks = await readAll(stream);
    expect(chunks).toEqual([...two, usageEvent].map((text) => JSON.parse(text.slice(6)) as unknown));
    expect(stream.textOf(0)).toBe(" deep and");
    expect(stream.usage).toEqual(usage);
  });

  it("is allowed once", async () => {
    const stream = await streamOf({ pieces: [...two, done] });
    await readAll(stream);
    const again = () => stream[Symbol.asyncIterator]();
    expect(again).toThrow(ResiduaError);
    expect(again).toThrow(expect.objectContaining({ code: "stream_taken" }));
    await expect(readAll(stream)).rejects.toMatchObject({ code: "stream_taken" });
    expect(() => stream.tee()).toThrow(ResiduaError);
    expect(() => stream.toReadableStream()).toThrow(ResiduaError);
  });

  it("answers calls of next() that do not wait for each other in order", async () => {
    const stream = await streamOf({ pieces: [...two, done] });
    const chunks = stream[Symbol.asyncIterator]();
    const results = await Promise.all([chunks.next(), chunks.next(), chunks.next(), chunks.next()]);
    expect(results.map(({ value }) => value?.choices[0]?.text)).toEqual([
      " deep",
      " and",
      undefined,
      undefined,
    ]);
    expect(results.map(({ done: end }) => end)).toEqual([false, false, true, true]);
  });

  it("reads nothing after [DONE]", async () => {
    const stream = await streamOf({ pieces: [...two, done + textEvent("x") + "data: junk\n\n"] });
    expect(textsOf(await readAll(stream))).toEqual([" deep", " and"]);
  });

  it("J18: takes chunks that hold nothing for a choice", async () => {
    const odd = [
      event({ ...head }),
      event({ ...head, choices: null, usage: null }),
      event({ ...head, choices: [], usage: null, error: null }),
      event({ type: "ping", vendor: { x: 1 } }),
      "data:\n\n",
      "data: \n\n",
      "event: hello\n\n",
    ];
    const stream = await streamOf({ pieces: [...odd, ...two, usageEvent, done] });
    const chunks = await readAll(stream);
    expect(chunks.map(({ choices }) => choices.length)).toEqual([0, 0, 0, 0, 1, 1, 0]);
    expect(chunks[3]).toEqual({ type: "ping", vendor: { x: 1 }, choices: [] });
    expect(stream.textOf(0)).toBe(" deep and");
  });

  it("fills in what a choice leaves out", async () => {
    const stream = await streamOf({ pieces: [event({ choices: [{ finish_reason: "stop" }] }), done] });
    expect(await readAll(stream)).toEqual([{ choices: [{ finish_reason: "stop", text: "", index: 0 }] }]);
  });

  it("J20: takes text that looks like the end of the stream", async () => {
    const texts = ["data: [DONE]", "[DONE]", "\n\ndata: [DONE]\n\n", '"}]}\n\n'];
    const stream = await streamOf({ pieces: [...texts.map((text) => textEvent(text)), done] });
    expect(textsOf(await readAll(stream))).toEqual(texts);
  });

  it("J20: counts a last event that only its blank line is missing from, [DONE] among them", async () => {
    for (const end of ["data: [DONE]", "data: [DONE]\n", "data:[DONE]\r"]) {
      expect(textsOf(await readAll(await streamOf({ pieces: [...two, end] })))).toHaveLength(2);
    }
    const whole = await streamOf({ pieces: [two[0]!, two[1]!.trimEnd()] });
    const error = await caught(readAll(whole));
    expect(error).toMatchObject({ code: "stream_interrupted", chunks: 2 });
    expect((error as StreamInterrupted).textOf(0)).toBe(" deep and");
    const torn = await streamOf({ pieces: [two[0]!, two[1]!.slice(0, -20)] });
    expect(await caught(readAll(torn))).toMatchObject({ code: "stream_interrupted", chunks: 1 });
  });

  it("counts a [DONE] without its blank line when the connection breaks after it", async () => {
    const fault = new TypeError("terminated");
    const stream = await streamOf({ pieces: [...two, "data: [DONE]"], fault });
    expect(await readAll(stream)).toHaveLength(2);
  });
});

describe("what is no chunk", () => {
  it.each([
    ["data: nonsense\n\n", "unexpected_response"],
    ["data: 12\n\n", "unexpected_response"],
    ["data: [1]\n\n", "unexpected_response"],
    ["data: null\n\n", "unexpected_response"],
    [event({ choices: {} }), "unexpected_response"],
    [event({ choices: [null] }), "unexpected_response"],
    [event({ choices: [{ index: 0, text: 1 }] }), "unexpected_response"],
    [event({ choices: [{ index: -1, text: "a" }] }), "unexpected_response"],
    [event({ choices: [{ index: "0", text: "a" }] }), "unexpected_response"],
    [event({ choices: [{ index: 1, text: "a" }] }), "choices_mismatch"],
  ])("%j is an APIError", async (bad, code) => {
    const stream = await streamOf({ pieces: [...two, bad, done] });
    const error = await caught(readAll(stream));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code, status: 200, requestID: "req_1" });
    expect(stream.textOf(0)).toBe(" deep and");
  });

  it("needs the index of a choice when there are several", async () => {
    const stream = await streamOf({ pieces: [event({ choices: [{ text: "a" }] }), done], n: 2 });
    expect(await caught(readAll(stream))).toMatchObject({ code: "unexpected_response" });
  });

  it("never quotes much of it, and no part of a key", async () => {
    const apiKey = "sk-SECRETSECRETSECRETSECRET";
    for (const pad of [0, 1, 5, 150, 190]) {
      const pieces = [`data: ${"x".repeat(pad)}${apiKey}${"y".repeat(3000)}\n\n`];
      const error = (await caught(readAll(await streamOf({ pieces, client: { apiKey } })))) as APIError;
      expect(error.message.length).toBeLessThan(200);
      expect(error.message).not.toContain("SECRETS");
    }
  });
});

describe("an error of the server", () => {
  const failure = { message: "engine died", type: "server_error", code: "vllm_engine_dead", retryable: true };

  it("ends the stream with and without [DONE], whatever comes after it", async () => {
    for (const after of [[done], [], [textEvent("x"), done]]) {
      const stream = await streamOf({ pieces: [...two, event({ error: failure }), ...after] });
      const error = await caught(readAll(stream));
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ code: "vllm_engine_dead", retryable: true, requestID: "req_1" });
      expect(stream.textOf(0)).toBe(" deep and");
    }
  });

  it.each([
    [event({ error: { ...failure, code: "queue_full" } }), { code: "queue_full", retryable: true }],
    [event({ error: { ...failure, code: "budget_exceeded", retryable: undefined } }), { retryable: false }],
    [
      event({ error: { message: "boom", type: "InternalServerError", param: null, code: 500 } }),
      { type: "InternalServerError" },
    ],
    [event({ error: "Unauthorized" }), { message: expect.stringContaining("Unauthorized") as string }],
    [event({ object: "error", message: "octo", type: "BadRequest", code: "x" }), { code: "x" }],
    [`event: error\ndata: {"message":"named","code":"y"}\n\n`, { code: "y" }],
  ])("in each of its forms: %s", async (frame, expected) => {
    const error = await caught(readAll(await streamOf({ pieces: [...two, frame, done] })));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject(expected);
  });
});

describe("an interrupted stream", () => {
  it("carries what arrived, by choice, with usage and the count of chunks", async () => {
    const pieces = [
      textEvent(" a0", {}, 0),
      textEvent(" c0", { finish_reason: "stop", token_ids: [7] }, 2),
      textEvent(" a1", {}, 0),
      usageEvent,
    ];
    const stream = await streamOf({ pieces, prompts: 2, n: 2 });
    const error = (await caught(readAll(stream))) as StreamInterrupted;
    expect(error).toBeInstanceOf(StreamInterrupted);
    expect(error).toMatchObject({
      code: "stream_interrupted",
      reason: "end",
      chunks: 4,
      usage,
      status: 200,
      requestID: "req_1",
      retryable: true,
    });
    expect(error.cause).toBeUndefined();
    expect(error.partial.choices.map(({ text, finish_reason }) => [text, finish_reason])).toEqual([
      [" a0 a1", null],
      ["", null],
      [" c0", "stop"],
      ["", null],
    ]);
    expect(error.partial.choicesOf(1)[0]).toMatchObject({ index: 2, token_ids: [7] });
    expect(error.textOf(0)).toBe(" a0 a1");
    expect(error.partial.model).toBe(head.model);
    expect(JSON.stringify(error)).not.toContain("a0 a1");
  });

  it("says what ended the connection", async () => {
    const fault = Object.assign(new TypeError("terminated"), {
      cause: { code: "ECONNRESET", message: "reset" },
    });
    const error = (await caught(readAll(await streamOf({ pieces: two, fault })))) as StreamInterrupted;
    expect(error).toMatchObject({ reason: "connection", chunks: 2 });
    expect(error.cause).toMatchObject({ code: "connection_error", reason: "ECONNRESET" });
  });

  it("also when nothing came, and once only", async () => {
    const stream = await streamOf({ pieces: [": keepalive\n\n"] });
    const chunks = stream[Symbol.asyncIterator]();
    const error = await caught(chunks.next());
    expect(error).toMatchObject({ code: "stream_interrupted", chunks: 0 });
    expect(await chunks.next()).toEqual({ value: undefined, done: true });
    await expect(stream.done()).rejects.toBe(error);
    await expect(stream.finalCompletion()).rejects.toBe(error);
  });
});

describe("abort", () => {
  it("by the stream, by its controller and by the request's signal gives APIAbortError, once", async () => {
    const outer = new AbortController();
    const ways: ((stream: CompletionStream) => void)[] = [
      (stream) => stream.abort(),
      (stream) => stream.controller.abort(),
      () => outer.abort(),
    ];
    for (const end of ways) {
      const stream = await streamOf({ pieces: [...two, done], options: { signal: outer.signal } });
      const chunks = stream[Symbol.asyncIterator]();
      await chunks.next();
      end(stream);
      expect(await caught(chunks.next())).toBeInstanceOf(APIAbortError);
      expect(await chunks.next()).toEqual({ value: undefined, done: true });
      expect(stream.textOf(0)).toBe(" deep");
      await expect(stream.done()).rejects.toBeInstanceOf(APIAbortError);
    }
  });

  it("before reading", async () => {
    const stream = await streamOf({ pieces: [...two, done] });
    stream.abort();
    expect(await caught(readAll(stream))).toBeInstanceOf(APIAbortError);
  });

  it("is what leaving the loop is to those who wait", async () => {
    const stream = await streamOf({ pieces: [...two, done] });
    const final = stream.finalCompletion();
    const heard: unknown[] = [];
    stream.on("abort", (error) => heard.push(error)).on("end", () => heard.push("end"));
    for await (const _ of stream) break;
    expect(await caught(final)).toBeInstanceOf(APIAbortError);
    expect(heard).toEqual([expect.any(APIAbortError), "end"]);
    expect(stream.controller.signal.aborted).toBe(true);
  });

  it("leaves nothing on a signal that lives long", async () => {
    const { signal } = new AbortController();
    const ends: ((stream: CompletionStream) => Promise<unknown>)[] = [
      (stream) => readAll(stream),
      (stream) => stream[Symbol.asyncIterator]().return!(),
      (stream) => Promise.resolve(stream.abort()),
      (stream) => Promise.all(stream.tee().map((half) => readAll(half))),
    ];
    for (const end of ends) await end(await streamOf({ pieces: [...two, done], options: { signal } }));
    await caught(readAll(await streamOf({ pieces: two, options: { signal } })));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("comes with the end of `await using`", async () => {
    const stream = await streamOf({ pieces: [...two, done] });
    await stream[Symbol.asyncDispose]();
    expect(stream.controller.signal.aborted).toBe(true);
    const whole = await streamOf({ pieces: [...two, done] });
    await readAll(whole);
    await whole[Symbol.asyncDispose]();
    expect(whole.controller.signal.aborted).toBe(false);
    expect((await whole.finalCompletion()).choices[0]?.text).toBe(" deep and");
  });
});

it("gives what came before an event that is too long, however the body is cut", async () => {
  const long = textEvent("x".repeat(2000));
  const body = [...two, long, textEvent("y"), done].join("");
  for (const cut of [0, 100, body.indexOf("xxx") + 5, body.indexOf("y") - 100, body.length]) {
    const pieces = [body.slice(0, cut), body.slice(cut)];
    const stream = await streamOf({ pieces, client: { longestEvent: 1000 } });
    expect(await caught(readAll(stream))).toMatchObject({ code: "event_too_long" });
    expect(stream.textOf(0)).toBe(" deep and");
  }
  const after = await streamOf({ pieces: [two.join("") + done + long], client: { longestEvent: 1000 } });
  expect(await readAll(after)).toHaveLength(2);
});

it("refuses a limit that is none", async () => {
  for (const longestEvent of [0, -1, 1.5, NaN, 2 ** 30]) {
    const error = await caught(streamOf({ pieces: [], options: { longestEvent } }));
    expect(error).toMatchObject({ code: "invalid_option" });
    expect(await caught(streamOf({ pieces: [], client: { longestEvent } }))).toMatchObject({
      code: "invalid_option",
    });
  }
});
