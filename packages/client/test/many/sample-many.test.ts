import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  APIAbortError,
  APIError,
  InvalidRequestError,
  type SampleManyOptions,
  type SampleProgress,
} from "../../src/index.ts";
import { answer, json } from "../fault-server.ts";
import { clientOf, collect, crowdServer, makeCloser, requestsOf } from "./crowd-server.ts";

const closing = makeCloser();
afterEach(() => closing.all());

async function setup(options: Parameters<typeof crowdServer>[0] = {}) {
  const server = closing(await crowdServer(options));
  return { server, client: closing(clientOf(server)) };
}

describe("outcomes", () => {
  it("gives one for each request, whatever fails", async () => {
    const { client, server } = await setup({
      misbehave: ({ prompt }, response) => {
        if (prompt !== "p3") return false;
        json(response, 400, { error: { message: "too long", code: "context_length_exceeded" } });
        return true;
      },
    });
    const requests = requestsOf(8);
    const odd = [{ ...requests[0], temperature: 101 }, null, { ...requests[0], stream: true }] as never[];
    const outcomes = await collect(client.completions.sampleMany([...requests, ...odd]));
    const byIndex = outcomes.sort((a, b) => a.index - b.index);
    expect(byIndex.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(byIndex[5]).toMatchObject({
      request: { prompt: "p5" },
      completion: { choices: [{ text: '"p5" unseeded' }] },
    });
    expect(byIndex[5]?.completion?.choicesOf(0)).toHaveLength(1);
    expect(byIndex[3]?.error).toBeInstanceOf(APIError);
    expect(byIndex[3]?.error?.code).toBe("context_length_exceeded");
    for (const { error } of byIndex.slice(8)) expect(error).toBeInstanceOf(InvalidRequestError);
    expect(byIndex[10]?.error?.message).toContain("completions.create");
    expect(server.asked).toHaveLength(8);
  });

  it("comes as it finishes, or in order", async () => {
    const delay = ({ prompt }: { prompt: unknown }) => (prompt === "p0" ? 60 : 2);
    const { client } = await setup({ delay });
    const requests = requestsOf(40);
    const free = await collect(client.completions.sampleMany(requests));
    expect(free[0]?.index).not.toBe(0);
    expect(free.map(({ index }) => index).sort((a, b) => a - b)).toEqual(requests.map((_, i) => i));
    const ordered = await collect(client.completions.sampleMany(requests, { ordered: true }));
    expect(ordered.map(({ index }) => index)).toEqual(requests.map((_, i) => i));
  });

  it("sends nothing before it is read, and takes no options that make no sense", async () => {
    const { client, server } = await setup();
    client.completions.sampleMany(requestsOf(3));
    const wrong: SampleManyOptions[] = [
      { concurrency: 0 },
      { window: 1.5 },
      { ratePerMinute: -1 },
      { seed: -1 },
    ];
    for (const options of [...wrong, { pack: 0 }, { journal: "" }])
      expect(() => client.completions.sampleMany([], options)).toThrow(/given; allowed/);
    expect(() => client.completions.sampleMany([], { concurency: 3 } as never)).toThrow(
      "did you mean concurrency?",
    );
    expect(() => client.completions.sampleMany([], { journal: { path: "" } })).toThrow("journal.path");
    expect(() => client.completions.sampleMany("p0" as never)).toThrow("requests: string given");
    await sleep(20);
    expect(server.seen).toHaveLength(0);
    expect(await collect(client.completions.sampleMany([]))).toEqual([]);
  });
});

describe("the list", () => {
  it("is read as slots come free, not before", async () => {
    const { client } = await setup();
    let read = 0;
    const requests = function* () {
      for (const request of requestsOf(500)) {
        read++;
        yield request;
      }
    };
    let taken = 0;
    for await (const { index } of client.completions.sampleMany(requests(), { concurrency: 2, window: 6 })) {
      expect(index).toBeLessThan(500);
      // A slow reader: what is read ahead stays within the window.
      if (++taken % 50 === 0) await sleep(15);
      expect(read - taken).toBeLessThanOrEqual(7);
    }
    expect(taken).toBe(500);
  });

  it("may come asynchronously, with gaps", async () => {
    const { client, server } = await setup();
    const requests = async function* () {
      for (const request of requestsOf(30)) {
        if (Number(request.prompt.slice(1)) % 10 === 0) await sleep(10);
        yield request;
      }
    };
    const outcomes = await collect(client.completions.sampleMany(requests(), { ordered: true }));
    expect(outcomes.map(({ index }) => index)).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(server.most).toBeGreaterThan(4);
  });

  it("ends the run with what it throws", async () => {
    const { client } = await setup();
    const requests = function* () {
      yield* requestsOf(2);
      throw new Error("no more prompts");
    };
    await expect(collect(client.completions.sampleMany(requests()))).rejects.toThrow("no more prompts");
    const slow = async function* () {
      yield* requestsOf(2);
      await sleep(5);
      throw new Error("file gone");
    };
    await expect(collect(client.completions.sampleMany(slow()))).rejects.toThrow("file gone");
  });
});

describe("leaving", () => {
  it("aborts what is in flight and frees its connections", async () => {
    const { client, server } = await setup({ delay: ({ prompt }) => (prompt === "p0" ? 1 : 60_000) });
    let cleaned = false;
    const requests = function* () {
      try {
        yield* requestsOf(100);
      } finally {
        cleaned = true;
      }
    };
    for await (const { index } of client.completions.sampleMany(requests(), { concurrency: 5 })) {
      expect(index).toBe(0);
      await vi.waitFor(() => expect(server.inFlight).toBe(5));
      break;
    }
    expect(cleaned).toBe(true);
    await vi.waitFor(() => expect(server.inFlight).toBe(0));
    // The pool may hold new connections ready; those that carried the requests are gone.
    expect(server.seen.slice(2).filter(({ socket }) => server.open().has(socket))).toEqual([]);
    const sent = server.asked.length;
    await sleep(30);
    expect(server.asked.length).toBe(sent);
  });

  it("by a signal throws APIAbortError and leaves nothing behind", async () => {
    const { client, server } = await setup({ delay: 60_000 });
    const controller = new AbortController();
    const run = client.completions.sampleMany(requestsOf(50), { signal: controller.signal });
    const next = run.next();
    await vi.waitFor(() => expect(server.inFlight).toBe(16));
    controller.abort();
    await expect(next).rejects.toBeInstanceOf(APIAbortError);
    expect(await run.next()).toEqual({ done: true, value: undefined });
    await vi.waitFor(() => expect(server.inFlight).toBe(0));
    expect(server.seen.slice(1).filter(({ socket }) => server.open().has(socket))).toEqual([]);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    const late = client.completions.sampleMany(requestsOf(2), { signal: controller.signal });
    await expect(late.next()).rejects.toBeInstanceOf(APIAbortError);
  });
});

describe("progress", () => {
  it("counts outcomes, tokens and rates", async () => {
    const { client } = await setup({
      misbehave: ({ prompt }, response) => {
        if (prompt !== "p1") return false;
        json(response, 400, { error: { message: "no", code: "invalid_request" } });
        return true;
      },
    });
    const told: SampleProgress[] = [];
    await collect(
      client.completions.sampleMany(requestsOf(20), { concurrency: 4, onProgress: (p) => told.push(p) }),
    );
    expect(told.map(({ done }) => done)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const last = told.at(-1);
    expect(last).toMatchObject({
      ...{ done: 20, failed: 1, resumed: 0, sent: 20, inFlight: 0, total: 20, eta: 0 },
      tokens: { prompt: 4 * 19, completion: 3 * 19 },
      concurrency: { now: 4, cap: 4, source: "option" },
    });
    expect(told[9]?.eta).toBeGreaterThan(0);
    expect(last?.rates.requests).toBeGreaterThan(0);
    expect(last?.rates.tokens).toBeGreaterThan(0);
  });

  it("that throws ends the run", async () => {
    const { client } = await setup();
    const onProgress = () => {
      throw new Error("full");
    };
    await expect(collect(client.completions.sampleMany(requestsOf(9), { onProgress }))).rejects.toThrow(
      "full",
    );
  });
});

describe("seeds", () => {
  it("are the base and the number of choices before, but for requests that have their own", async () => {
    const { client, server } = await setup();
    const [a, b, c, d] = requestsOf(4);
    const requests = [a, { ...b, n: 3 }, { ...c, seed: 7 }, d] as ReturnType<typeof requestsOf>;
    const outcomes = await collect(client.completions.sampleMany(requests, { seed: 100, ordered: true }));
    expect(outcomes.map(({ request }) => request.seed)).toEqual([100, 101, 7, 105]);
    expect(server.asked.map(({ seed }) => seed).sort()).toEqual([100, 101, 105, 7]);
    expect(outcomes[1]?.completion?.choices.map(({ text }) => text)).toEqual([
      '"p1" 101',
      '"p1" 102',
      '"p1" 103',
    ]);
  });
});

it("an answer that is none is an outcome", async () => {
  const { client } = await setup({
    misbehave: (_, response) => {
      json(response, 200, answer(3));
      return true;
    },
  });
  const [outcome] = await collect(client.completions.sampleMany(requestsOf(1)));
  expect(outcome?.error?.code).toBe("choices_mismatch");
});
