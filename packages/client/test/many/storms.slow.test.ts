import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type SampleOutcome, type SampleProgress } from "../../src/index.ts";
import { json } from "../fault-server.ts";
import { clientOf, collect, crowdServer, makeCloser, requestsOf } from "./crowd-server.ts";

const closing = makeCloser();
afterEach(() => closing.all());

async function setup(options: Parameters<typeof crowdServer>[0] = {}, client = {}) {
  const server = closing(await crowdServer(options));
  return { server, client: closing(clientOf(server, client)) };
}

function refuse(response: ServerResponse, code: string, status = 429, headers: Record<string, string> = {}) {
  json(response, status, { error: { message: "not now", type: "rate_limit_error", code } }, headers);
  return true;
}

const failed = (outcomes: SampleOutcome[]) => outcomes.filter(({ error }) => error !== undefined);

describe("the cap", () => {
  it.each([
    ["16 where nobody says", undefined, {}, 16, "default"],
    ["the catalogue's", { max_inflight_per_key: 5 }, {}, 5, "catalogue"],
    ["the caller's below it", { max_inflight_per_key: 5 }, { concurrency: 3 }, 3, "option"],
    ["the catalogue's below the caller's", { max_inflight_per_key: 5 }, { concurrency: 30 }, 5, "catalogue"],
    ["the caller's where the catalogue says nothing", undefined, { concurrency: 30 }, 30, "option"],
  ])("is %s", async (_, capabilities, options, cap, source) => {
    const { client, server } = await setup({ ...(capabilities && { capabilities }), delay: 100 });
    let last: SampleProgress | undefined;
    const onProgress = (progress: SampleProgress) => (last = progress);
    await collect(client.completions.sampleMany(requestsOf(60), { ...options, onProgress }));
    expect(server.most).toBe(cap);
    expect(last?.concurrency).toEqual({ now: cap, cap, source });
  });

  it("is halved by a storm, paused by Retry-After, and comes back", async () => {
    let until = Infinity;
    const { client, server } = await setup({
      // Long beside the time that 16 requests take to come, or fewer would be there at once.
      delay: 50,
      misbehave: (_, response, nth) => {
        if (nth === 40) until = performance.now() + 20;
        if (nth < 40 || performance.now() > until) return false;
        return refuse(response, "rate_limited", 429, { "retry-after": "0.25" });
      },
    });
    const limits: number[] = [];
    const onProgress = ({ concurrency }: SampleProgress) => limits.push(concurrency.now);
    const outcomes = await collect(client.completions.sampleMany(requestsOf(600), { onProgress }));
    expect(failed(outcomes)).toEqual([]);
    expect(server.most).toBe(16);
    expect(Math.min(...limits)).toBeLessThanOrEqual(8);
    expect(limits.at(-1)).toBe(16);
    // While all were paused nobody was asked.
    const gaps = server.times.slice(1).map((time, i) => time - (server.times[i] ?? 0));
    expect(Math.max(...gaps)).toBeGreaterThan(200);
    // Each was answered once; beyond that only refused ones were sent.
    expect(server.asked.length).toBeLessThan(600 + 32);
  });

  it.each([
    ["queue_full", 429],
    ["circuit_open", 503],
    ["http_503", 503],
    ["modal_cold_boot", 200],
  ])("%s with %i is waited out", async (code, status) => {
    const { client, server } = await setup({
      misbehave: (_, response, nth) => nth % 5 === 1 && refuse(response, code, status),
    });
    const outcomes = await collect(client.completions.sampleMany(requestsOf(60), { ordered: true }));
    expect(outcomes.map(({ index }) => index)).toEqual(requestsOf(60).map((_, i) => i));
    expect(failed(outcomes)).toEqual([]);
    expect(server.asked.length).toBeGreaterThan(60);
  });

  it("a server that stays busy is given up on after longestWait", async () => {
    const { client } = await setup({ misbehave: (_, response) => refuse(response, "queue_full") });
    const outcomes = await collect(client.completions.sampleMany(requestsOf(4), { longestWait: 80 }));
    expect(failed(outcomes)).toHaveLength(4);
    expect(outcomes[0]?.error?.code).toBe("queue_full");
  });

  it("a server that is busy without end costs one wait, not one for each request", async () => {
    const { client } = await setup({ misbehave: (_, response) => refuse(response, "http_503", 503) });
    const began = performance.now();
    const options = { longestWait: 300, concurrency: 1 };
    const outcomes = await collect(client.completions.sampleMany(requestsOf(20), options));
    expect(failed(outcomes)).toHaveLength(20);
    // One wait for each would be 6 seconds.
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it("asks for the catalogue with the caller's own limits", async () => {
    const { server } = await setup();
    const silent: typeof fetch = (input, init) =>
      typeof input === "string" && input.endsWith("/models")
        ? new Promise((_, reject) =>
            init?.signal?.addEventListener("abort", () => reject(new Error("ended"))),
          )
        : fetch(input, init);
    const client = closing(clientOf(server, { fetch: silent, maxRetries: 0 }));
    expect(await collect(client.completions.sampleMany(requestsOf(2), { timeout: 300 }))).toHaveLength(2);
  });

  it("a server that asks for a longer wait than that ends the sending at once", async () => {
    for (const seconds of [100, 99_999_999]) {
      const { client, server } = await setup({
        misbehave: (_, response) => refuse(response, "rate_limited", 429, { "retry-after": String(seconds) }),
      });
      const options = { longestWait: 80, concurrency: 2 };
      const outcomes = await collect(client.completions.sampleMany(requestsOf(20), options));
      expect(failed(outcomes)).toHaveLength(20);
      expect(new Set(outcomes.map(({ error }) => error?.code))).toEqual(
        new Set(["rate_limited", "not_sent"]),
      );
      expect(server.asked).toHaveLength(2);
    }
  });

  it("is held among 64 runs in a storm, and none starves", async () => {
    const room = 40;
    let here = 0;
    const server = closing(
      await crowdServer({
        delay: 4,
        misbehave: (_, response) => {
          if (here >= room) return refuse(response, "queue_full");
          here++;
          response.on("close", () => here--);
          return false;
        },
      }),
    );
    const runs = Array.from({ length: 64 }, async () => {
      const client = closing(clientOf(server));
      const outcomes = await collect(client.completions.sampleMany(requestsOf(20), { concurrency: 4 }));
      expect(failed(outcomes)).toEqual([]);
      expect(outcomes).toHaveLength(20);
    });
    await Promise.all(runs);
  });
});

describe("faults", () => {
  it("a spent budget stops the sending, and the rest says so", async () => {
    const { client, server } = await setup({
      misbehave: (_, response, nth) => nth >= 10 && refuse(response, "budget_exceeded"),
    });
    const outcomes = await collect(
      client.completions.sampleMany(requestsOf(300), { concurrency: 4, ordered: true }),
    );
    expect(outcomes).toHaveLength(300);
    expect(server.asked.length).toBeLessThanOrEqual(14);
    expect(failed(outcomes)).toHaveLength(290);
    const codes = new Set(failed(outcomes).map(({ error }) => error?.code));
    expect(codes).toEqual(new Set(["budget_exceeded", "not_sent"]));
    const last = outcomes.at(-1)?.error;
    expect(last?.message).toContain("429 budget_exceeded");
    expect((last?.cause as Error & { code: string }).code).toBe("budget_exceeded");
  });

  it("a refused key is not tried on each request", async () => {
    const { client, server } = await setup({
      misbehave: (_, response) => refuse(response, "invalid_api_key", 401),
    });
    const outcomes = await collect(client.completions.sampleMany(requestsOf(100), { concurrency: 2 }));
    expect(failed(outcomes)).toHaveLength(100);
    expect(server.asked).toHaveLength(2);
  });

  it("other faults are the client's to retry, each as its request allows", async () => {
    const { client, server } = await setup({
      misbehave: ({ prompt }, response, nth) => {
        if (nth > 3) return false;
        if (prompt === "p0") response.socket?.destroy();
        return prompt === "p0" || refuse(response, "upstream_unreachable", 502);
      },
    });
    const seeded = await collect(client.completions.sampleMany(requestsOf(2), { seed: 1, concurrency: 2 }));
    expect(failed(seeded)).toEqual([]);
    expect(server.asked.length).toBeGreaterThanOrEqual(6);
  });
});

describe("the rate", () => {
  it("is the catalogue's or the caller's", async () => {
    const { client, server } = await setup({ capabilities: { rate_limit_per_minute: 6000 } });
    await collect(client.completions.sampleMany(requestsOf(130)));
    // A hundred a second, after the first hundred.
    expect((server.times.at(-1) ?? 0) - (server.times[0] ?? 0)).toBeGreaterThan(990);
    const begin = server.asked.length;
    await collect(client.completions.sampleMany(requestsOf(4), { ratePerMinute: 600 }));
    expect((server.times.at(-1) ?? 0) - (server.times[begin] ?? 0)).toBeLessThan(900);
  });
});
