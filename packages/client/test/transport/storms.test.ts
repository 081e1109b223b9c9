import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/index.ts";
import { caught, closing, request, setup } from "../client-support.ts";
import { answer, faultServer, json } from "../fault-server.ts";

describe("a storm of 429", () => {
  it("of 64 clients against a cap of 4: everyone ends, nobody starves, the cap holds", async () => {
    let active = 0;
    let most = 0;
    let refused = 0;
    const server = closing(
      await faultServer(async (_, response) => {
        if (active >= 4) {
          refused++;
          const error = { message: "full", type: "rate_limit_error", code: "queue_full" };
          return json(response, 429, { error }, { "retry-after": "0.02" });
        }
        most = Math.max(most, ++active);
        await wait(4);
        active--;
        json(response, 200, answer());
      }),
    );
    const clients = Array.from({ length: 64 }, () =>
      closing(
        createClient({
          baseURL: server.url,
          apiKey: "k",
          maxRetries: 1000,
          backoff: { first: 1, longest: 20 },
        }),
      ),
    );
    const ends = await Promise.all(
      clients.map(async (client) => {
        for (let i = 0; i < 4; i++) await client.completions.create(request);
        return performance.now();
      }),
    );
    expect(ends).toHaveLength(64);
    expect(most).toBe(4);
    expect(refused).toBeGreaterThan(64);
    expect(server.seen.length - refused).toBe(256);
  }, 30_000);

  it("ends when the time for tries is over, though tries are left", async () => {
    const { server, client } = await setup((_, response) => json(response, 503, {}), {
      maxRetries: 1e6,
      maxRetryTime: 150,
      backoff: { first: 20, longest: 20 },
    });
    const started = performance.now();
    expect(await caught(client.completions.create(request))).toMatchObject({ status: 503 });
    expect(performance.now() - started).toBeLessThan(1000);
    expect(server.seen.length).toBeGreaterThan(2);
    const before = server.seen.length;
    await caught(client.completions.create(request, { maxRetryTime: 0 }));
    expect(server.seen.length).toBe(before + 1);
  });

  it("waits by retry-after-ms before Retry-After", async () => {
    const { client } = await setup((_, response, nth) =>
      nth === 0
        ? json(response, 429, {}, { "retry-after": "30", "retry-after-ms": "40" })
        : json(response, 200, answer()),
    );
    const started = performance.now();
    await client.completions.create(request);
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(38);
    expect(took).toBeLessThan(5000);
  });

  it("does as x-should-retry says", async () => {
    const first = (status: number, flag: string) =>
      setup((_, response, nth) =>
        nth === 0 ? json(response, status, {}, { "x-should-retry": flag }) : json(response, 200, answer()),
      );
    const yes = await first(500, "true");
    expect((await yes.client.completions.create(request)).id).toBe("cmpl-1");
    const no = await first(503, "false");
    expect(await caught(no.client.completions.create(request))).toMatchObject({
      attempts: 1,
      retryable: false,
    });
  });

  it("sends nothing again with retry: never, and more with retry: always", async () => {
    const never = await setup((_, response) => json(response, 503, {}), { retry: "never" });
    await caught(never.client.completions.create({ ...request, seed: 1 }));
    expect(never.server.seen).toHaveLength(1);
    const always = await setup((_, response, nth) =>
      nth === 0
        ? void response.socket?.destroy()
        : nth === 1
          ? json(response, 502, {})
          : json(response, 200, answer()),
    );
    expect((await always.client.completions.create(request, { retry: "always" })).id).toBe("cmpl-1");
    const fault = await setup((_, response) => json(response, 400, {}), { retry: "always" });
    await caught(fault.client.completions.create(request));
    expect(fault.server.seen).toHaveLength(1);
  });
});
