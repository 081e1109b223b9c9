import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { APIAbortError, type CompletionChunk, CompletionStream, StreamInterrupted } from "../../src/index.ts";
import { caught } from "../client-support.ts";
import { done, event, readAll, streamOf, textEvent, usageEvent } from "./stream-of.ts";

const pieces = [
  textEvent("a", {}, 0),
  textEvent("x", {}, 1),
  textEvent("b", { finish_reason: "stop" }, 0),
  textEvent("", {}, 1),
  textEvent("y", { finish_reason: "length" }, 1),
  usageEvent,
  done,
];
const open = (given: string[] = pieces) => streamOf({ pieces: given, n: 2 });

describe("events", () => {
  it("are told when nobody loops", async () => {
    const stream = await open();
    const heard: unknown[] = [];
    stream
      .on("chunk", ({ choices }) => heard.push(choices.length))
      .on("text", (more, soFar, index) => heard.push([more, soFar, index]))
      .once("chunk", () => heard.push("first"))
      .on("finalCompletion", ({ choices }) => heard.push(choices.map(({ text }) => text)))
      .on("end", () => heard.push("end"));
    await stream.done();
    expect(heard).toEqual([
      1,
      "first",
      ["a", "a", 0],
      1,
      ["x", "x", 1],
      1,
      ["b", "ab", 0],
      1,
      1,
      ["y", "xy", 1],
      0,
      ["ab", "xy"],
      "end",
    ]);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "stream_taken" }));
  });

  it("are told beside a loop that begins in the same turn", async () => {
    const stream = await open();
    let texts = "";
    const listener = (more: string) => (texts += more);
    const other = () => expect.unreachable();
    stream.on("text", listener).on("text", other).off("text", other);
    expect(await readAll(stream)).toHaveLength(6);
    expect(texts).toBe("axby");
  });

  it("tell an error, and an abort, once and before the end", async () => {
    const stream = await open(pieces.slice(0, 2));
    const heard: unknown[] = [];
    stream.on("error", (error) => heard.push(error)).on("end", () => heard.push("end"));
    await expect(stream.done()).rejects.toBeInstanceOf(StreamInterrupted);
    expect(heard).toEqual([expect.any(StreamInterrupted), "end"]);

    const aborted = await open();
    aborted.on("abort", (error) => heard.push(error)).once("chunk", () => aborted.abort());
    await expect(aborted.done()).rejects.toBeInstanceOf(APIAbortError);
    expect(heard.at(-1)).toBeInstanceOf(APIAbortError);
  });

  it("that fail unheard are an unhandled rejection, and no other way of reading is", async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => unhandled.push(error);
    const before = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", listener);
    onTestFinished(() => {
      process.removeAllListeners("unhandledRejection");
      for (const one of before) process.on("unhandledRejection", one);
    });
    const broken = () => open(pieces.slice(0, 2));

    // A loop throws it; the promise that nobody awaits any more says it again and must not end the process.
    const looped = await broken();
    void looped.finalCompletion();
    void looped.done();
    await caught(readAll(looped));
    const heard = await broken();
    heard.on("error", () => undefined);
    const awaited = await broken();
    awaited.on("chunk", () => undefined);
    await caught(awaited.done());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);

    (await broken()).on("chunk", () => undefined);
    (await open()).on("end", () => {
      throw new Error("of the listener");
    });
    await expect.poll(() => unhandled.length).toBe(2);
    expect(unhandled).toContainEqual(expect.any(StreamInterrupted));
    expect(unhandled).toContainEqual(expect.objectContaining({ message: "of the listener" }));
  });

  it("leave a listener's fault to the program: the stream goes on", async () => {
    const stream = await open();
    const faults: unknown[] = [];
    const before = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => faults.push(error));
    onTestFinished(() => {
      process.removeAllListeners("unhandledRejection");
      for (const one of before) process.on("unhandledRejection", one);
    });
    stream.once("chunk", () => {
      throw new Error("of the listener");
    });
    expect(await readAll(stream)).toHaveLength(6);
    await expect.poll(() => faults.length).toBe(1);
  });

  it("choices that are missing fail those who ask for the whole", async () => {
    const stream = await open([textEvent("a"), done]);
    const heard: unknown[] = [];
    stream.on("finalCompletion", () => heard.push("whole")).on("error", ({ code }) => heard.push(code));
    expect(await caught(stream.done())).toMatchObject({ code: "choices_mismatch" });
    expect(heard).toEqual(["choices_mismatch"]);
  });
});

describe("textOf", () => {
  it("knows the choices that were asked for", async () => {
    const stream = await open();
    expect(stream.textOf(1)).toBe("");
    await readAll(stream);
    expect([stream.textOf(0), stream.textOf(1)]).toEqual(["ab", "xy"]);
    for (const odd of [2, -1, 0.5, NaN]) expect(() => stream.textOf(odd)).toThrow(RangeError);
  });
});

describe("tee", () => {
  it("gives two streams of the same chunks, at any pace", async () => {
    const [left, right] = (await open()).tee();
    const all = await readAll(left);
    expect(all).toHaveLength(6);
    expect(await readAll(right)).toEqual(all);
    expect(await left.finalCompletion()).toEqual(await right.finalCompletion());
    const halves = (await open()).tee().map((half) => half.finalCompletion());
    expect((await Promise.all(halves)).map(({ choices }) => choices[1]?.text)).toEqual(["xy", "xy"]);
  });

  it("gives both halves the fault", async () => {
    const [left, right] = (await open(pieces.slice(0, 3))).tee();
    const faults = await Promise.all([caught(readAll(left)), caught(readAll(right))]);
    for (const fault of faults) expect(fault).toMatchObject({ code: "stream_interrupted", chunks: 3 });
    const bad = (await open([...pieces.slice(0, 2), event({ error: { message: "m", code: "c" } })])).tee();
    for (const half of bad) expect(await caught(readAll(half))).toMatchObject({ code: "c" });
  });

  it("goes on with one half, and is closed with both", async () => {
    const stream = await open();
    const [left, right] = stream.tee();
    for await (const _ of left) break;
    expect(stream.controller.signal.aborted).toBe(false);
    expect(await readAll(right)).toHaveLength(6);

    const both = await open();
    for (const half of both.tee()) for await (const _ of half) break;
    expect(both.controller.signal.aborted).toBe(true);
  });

  it("is ended whole by the first stream's abort, by half by a half's", async () => {
    const stream = await open();
    const [left, right] = stream.tee();
    left.abort();
    expect(await caught(readAll(left))).toBeInstanceOf(APIAbortError);
    stream.abort();
    expect(await caught(readAll(right))).toBeInstanceOf(APIAbortError);
  });

  it("keeps for a half that lags a little no more than that little", async () => {
    const many = Array.from({ length: 50 }, (_, i) => textEvent(`${i}`).repeat(100));
    const [left, right] = (await open([...many, done])).tee();
    const slow = right[Symbol.asyncIterator]();
    const read: (string | undefined)[] = [];
    for await (const _ of left) read.push((await slow.next()).value?.choices[0]?.text);
    expect(read).toHaveLength(5000);
    expect(read).toEqual(many.flatMap((_, i) => Array<string>(100).fill(`${i}`)));
  });
});

describe("toReadableStream and fromReadableStream", () => {
  it("carry the chunks as newline-delimited JSON", async () => {
    const chunks = await readAll(await open());
    const text = await new Response((await open()).toReadableStream()).text();
    expect(text).toBe(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(""));
    const back = CompletionStream.fromReadableStream((await open()).toReadableStream());
    expect(await readAll(back)).toEqual(chunks);
    expect(back.usage).toMatchObject({ total_tokens: 6 });
    const shaped = CompletionStream.fromReadableStream(new Response(text).body!, {
      shape: { prompts: 2, n: 1 },
    });
    expect((await shaped.finalCompletion()).choicesOf(1)).toMatchObject([{ text: "xy" }]);
    const plain = CompletionStream.fromReadableStream(new Response(text.trimEnd()).body!);
    expect((await plain.finalCompletion()).choicesOf(0)).toHaveLength(2);
  });

  it("carry a fault, and take a stream that is cut as interrupted", async () => {
    const broken = (await open(pieces.slice(0, 3))).toReadableStream();
    expect(await caught(readAll(CompletionStream.fromReadableStream(broken)))).toMatchObject({
      code: "stream_interrupted",
    });
    const text = await new Response((await open()).toReadableStream()).text();
    for (const cut of [text.slice(0, -5), text.split("\n").slice(0, 3).join("\n")]) {
      const stream = CompletionStream.fromReadableStream(new Response(cut).body!);
      const error = await caught(readAll(stream));
      expect(error).toBeInstanceOf(StreamInterrupted);
      expect((error as StreamInterrupted).textOf(0)).toBe("ab");
    }
  });

  it("refuse lines that are no chunks, and lines without end", async () => {
    for (const line of ["nonsense\n{}\n", "12\n", '{"choices":[{"text":"a"}]}\n']) {
      const stream = CompletionStream.fromReadableStream(new Response(line).body!);
      expect(await caught(readAll(stream))).toMatchObject({ code: "unexpected_response" });
    }
    const endless = new Response("x".repeat(5000)).body!;
    const stream = CompletionStream.fromReadableStream(endless, { longestEvent: 1000 });
    expect(await caught(readAll(stream))).toMatchObject({ code: "event_too_long" });
  });

  it("read only what is asked for, and close the stream behind them", async () => {
    const stream = await open();
    const reader = stream.toReadableStream().getReader();
    await reader.read();
    expect(stream.textOf(1)).toBe("");
    await reader.cancel();
    expect(stream.controller.signal.aborted).toBe(true);

    let cancelled = false;
    const source = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const controller = new AbortController();
    const copy = CompletionStream.fromReadableStream(source, { controller });
    const failed = caught(readAll(copy));
    controller.abort();
    expect(await failed).toBeInstanceOf(APIAbortError);
    expect(cancelled).toBe(true);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

it("a chunk that several readers share is not changed by collecting", async () => {
  const logprobs = { tokens: ["a"], token_logprobs: [-1], top_logprobs: null, text_offset: [0] };
  const given = [
    textEvent("a", { logprobs, token_ids: [1] }),
    textEvent("b", { logprobs, token_ids: [2] }),
    done,
  ];
  const stream = await streamOf({ pieces: given });
  const final = stream.finalCompletion();
  const chunks: CompletionChunk[] = await readAll(stream);
  expect((await final).choices[0]).toMatchObject({ token_ids: [1, 2], logprobs: { tokens: ["a", "a"] } });
  expect(chunks.map(({ choices }) => choices[0]?.token_ids)).toEqual([[1], [2]]);
  expect(chunks[0]?.choices[0]?.logprobs).toEqual(logprobs);
});
