import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RequestQueue } from "../src/request-queue.ts";
import { loadModel, type Model } from "@residua/engine";
import { rawTensor, start, tinyModel, type Running } from "./support.ts";
import { frames, openStream } from "./stream-support.ts";

const never = new AbortController().signal;

describe("a queue", () => {
  test("runs so many, then by priority and arrival", async () => {
    const queue = new RequestQueue({ running: 2, waiting: 5 });
    const order: string[] = [];
    const enter = (name: string, priority: number) => {
      const place = queue.enter(priority, never);
      return place.turn.then(() => {
        order.push(name);
        return place;
      });
    };
    const running = await Promise.all([enter("a", 9), enter("b", 9)]);
    const waiting = [enter("c", 1), enter("d", 0), enter("e", 1), enter("f", 0), enter("g", 2)];
    expect(() => queue.enter(0, never)).toThrow(
      expect.objectContaining({ status: 429, code: "queue_full", retryAfter: 5 }) as Error,
    );
    for (const place of running) place.leave();
    for (const place of waiting) void place.then(({ leave }) => leave());
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "d", "f", "c", "e", "g"]);
    // All have left: as many as at first may run.
    const again = [queue.enter(0, never), queue.enter(0, never), queue.enter(0, never)];
    const states = await Promise.race([again[2]!.turn.then(() => "ran"), sleep(20, "waits")]);
    expect(states).toBe("waits");
  });

  test("who gives up while waiting takes no turn and frees the place", async () => {
    const queue = new RequestQueue({ running: 1, waiting: 1 });
    const first = queue.enter(0, never);
    const leave = new AbortController();
    const second = queue.enter(0, leave.signal);
    leave.abort(new Error("gone"));
    await expect(second.turn).rejects.toThrow("gone");
    second.leave();
    const third = queue.enter(0, never);
    first.leave();
    await third.turn;
    third.leave();
    await queue.enter(0, never).turn;
  });
});

describe("on the server", () => {
  let running: Running;
  let model: Model;
  let endless: object;
  /** Seeds of the requests that reached the engine, in order. */
  const begun: unknown[] = [];
  beforeAll(async () => {
    model = await loadModel(tinyModel);
    const generate: Model["generate"] = (requests) => {
      begun.push(requests[0]!.seed);
      return model.generate(requests);
    };
    running = await start({ model: { ...model, generate }, keepAliveInterval: 20 });
    endless = await endlessRequest();
  });
  afterAll(async () => {
    await running.close();
    expect(running.logged).toEqual([]);
  });

  /** Steered to the stream from which the model predicts one certain token, it predicts that for ever. */
  async function endlessRequest(): Promise<object> {
    const layer = model.config.layers - 1;
    const prompt = model.tokenizer.encode("The city of");
    const [generation] = await model.generate([{ prompt, maxTokens: 1, temperature: 0, capture: [layer] }]);
    const { values, hiddenSize } = generation!.capture!;
    const stream = values[0]!.slice(-hiddenSize);
    return {
      prompt,
      max_tokens: 1000,
      temperature: 0,
      apply_steering_vectors: [
        {
          activations: rawTensor(stream, [1, hiddenSize]),
          layer_indices: [layer],
          scale: 1000,
          norm_match: true,
        },
      ],
    };
  }

  /** Fills all places; each function ends one. */
  function fill(): Promise<(() => void)[]> {
    const fillOne = async () => {
      const end = new AbortController();
      const response = await openStream(running, endless, { signal: end.signal });
      const reading = frames(response);
      while ((await reading.next()).value?.startsWith(":") === true);
      return () => end.abort();
    };
    return Promise.all(Array.from({ length: 16 }, fillOne));
  }

  async function idle(): Promise<void> {
    while (model.stats().active > 0) await sleep(5);
  }

  test("16 run and 64 wait, the next is told when to come back; priority decides among the waiting", async () => {
    const ends = await fill();
    const priorities = Array.from({ length: 64 }, (_, i) => [5, null, "7", 1, true, 0, false, "3"][i % 8]!);
    begun.length = 0;
    const waiting: Response[] = [];
    // A stream is answered as soon as it has its place, so the order of arrival is known.
    for (const [seed, priority] of priorities.entries()) {
      waiting.push(await openStream(running, { prompt: "a", max_tokens: 1, seed, priority }));
      expect(waiting[seed]!.status).toBe(200);
    }
    for (const stream of [false, true]) {
      const { status, headers, body } = await running.complete({ prompt: "a", stream, priority: 0 });
      expect([status, body.error.code, body.error.type]).toEqual([429, "queue_full", "rate_limit_error"]);
      expect(headers.get("retry-after")).toBe("5");
    }
    expect([begun, model.stats().active]).toEqual([[], 16]);
    // One place: those who wait take it in turns.
    ends.pop()!();
    for (const response of waiting) {
      const seen: string[] = [];
      for await (const frame of frames(response)) seen.push(frame);
      expect(seen[0]).toBe(": keep-alive");
      expect(seen.at(-1)).toBe("[DONE]");
    }
    const rank = (seed: number) => Number(priorities[seed]);
    expect(begun).toEqual([...priorities.keys()].sort((a, b) => rank(a) - rank(b) || a - b));
    expect(model.stats().active).toBe(15);
    for (const end of ends) end();
    await idle();
    expect((await running.complete({ prompt: "a", max_tokens: 1 })).status).toBe(200);
  });

  test("who leaves while waiting is forgotten", async () => {
    const ends = await fill();
    const leave = new AbortController();
    await openStream(running, { prompt: "a", max_tokens: 900 }, { signal: leave.signal });
    const before = model.stats();
    leave.abort();
    await sleep(50);
    for (const end of ends) end();
    await idle();
    await sleep(50);
    // Its prompt never ran.
    expect(model.stats().promptTokens).toBe(before.promptTokens);
  });
});
