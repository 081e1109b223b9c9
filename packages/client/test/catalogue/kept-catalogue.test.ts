import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { APIAbortError, APITimeoutError, ResiduaError } from "../../src/index.ts";
import { keepValue } from "../../src/catalogue/kept-value.ts";
import { caught, setup } from "../client-support.ts";
import { json } from "../fault-server.ts";

const list = { data: [{ id: "tiny" }] };

/** A server that answers when it is told to. */
async function waitingServer() {
  const waiting: ServerResponse[] = [];
  const made = await setup((_, response) => void waiting.push(response));
  const come = (count: number) => expect.poll(() => waiting.length).toBe(count);
  return { ...made, waiting, come };
}

describe("one request for all who wait", () => {
  it("goes on for the others when the first caller aborts", async () => {
    const { client, server, waiting, come } = await waitingServer();
    const first = new AbortController();
    const gone = caught(client.describe("tiny", { signal: first.signal }));
    const others = [client.describe("tiny"), client.models.retrieve("tiny"), client.models.list()];
    await come(1);
    first.abort();
    expect(await gone).toBeInstanceOf(APIAbortError);
    json(waiting[0]!, 200, list);
    expect((await Promise.all(others)).flat().every(({ id }) => id === "tiny")).toBe(true);
    expect(server.seen).toHaveLength(1);
  });

  it("ends when nobody waits any more, and the next caller asks anew", async () => {
    const { client, server, waiting, come } = await waitingServer();
    const controller = new AbortController();
    const { signal } = controller;
    const pending = [client.describe("tiny", { signal }), client.models.list({ signal })].map(caught);
    await come(1);
    controller.abort();
    for (const error of await Promise.all(pending)) expect(error).toBeInstanceOf(APIAbortError);
    await expect.poll(() => server.open().has(0)).toBe(false);
    const next = client.describe("tiny");
    await come(2);
    json(waiting[1]!, 200, list);
    expect((await next).catalogued).toBe(true);
  });

  it("a caller's timeout ends its own wait; an aborted signal asks nothing; signals are let go", async () => {
    const { client, server, waiting, come } = await waitingServer();
    const { signal } = new AbortController();
    const patient = client.describe("tiny", { signal });
    const error = await caught(client.describe("tiny", { timeout: 20 }));
    expect(error).toBeInstanceOf(APITimeoutError);
    expect(error).toMatchObject({ timeout: 20 });
    await come(1);
    json(waiting[0]!, 200, list);
    expect((await patient).catalogued).toBe(true);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const aborted = AbortSignal.abort();
    expect(await caught(client.describe("tiny", { signal: aborted, refresh: true }))).toBeInstanceOf(
      APIAbortError,
    );
    expect(server.seen).toHaveLength(1);
  });

  it("a failure is each waiting caller's, and is not kept", async () => {
    const { client, server } = await setup((_, response, nth) =>
      nth === 0 ? json(response, 401, { error: "Unauthorized" }) : json(response, 200, list),
    );
    const errors = await Promise.all([caught(client.describe("tiny")), caught(client.models.list())]);
    expect(errors).toEqual([expect.objectContaining({ code: "unauthorized" }), errors[0]]);
    expect((await client.describe("tiny")).catalogued).toBe(true);
    expect(server.seen).toHaveLength(2);
  });
});

describe("what is kept", () => {
  const asking = (lifetime: number) => {
    let clock = 0;
    let asked = 0;
    const kept = keepValue<number>({ lifetime, now: () => clock });
    const get = (options = {}) => kept.get(options, () => Promise.resolve(++asked));
    return { get, kept, wait: (time: number) => void (clock += time) };
  };

  it("is too old after its time, counted from when it was asked for", async () => {
    const { get, wait } = asking(100);
    expect(await get()).toBe(1);
    wait(99);
    expect(await get()).toBe(1);
    wait(1);
    expect(await get()).toBe(2);
    expect(await get({ refresh: true })).toBe(3);
  });

  it("is nothing at a lifetime of 0, and all at Infinity", async () => {
    const never = asking(0);
    expect([await never.get(), await never.get()]).toEqual([1, 2]);
    const always = asking(Infinity);
    always.wait(1e12);
    expect([await always.get(), await always.get()]).toEqual([1, 1]);
  });

  it("is no old value when asking again fails", async () => {
    const { get, kept, wait } = asking(100);
    await get();
    wait(100);
    expect(await caught(kept.get({}, () => Promise.reject(new Error("down"))))).toMatchObject({
      message: "down",
    });
    expect(await get()).toBe(2);
  });

  it("lasts as long as catalogueTTL says", async () => {
    const { client, server } = await setup((_, response) => json(response, 200, list), {
      catalogueTTL: 0,
    });
    for (let i = 0; i < 3; i++) await client.describe("tiny");
    expect(server.seen).toHaveLength(3);
    const kept = await setup((_, response) => json(response, 200, list));
    for (let i = 0; i < 3; i++) await kept.client.describe("tiny");
    expect(kept.server.seen).toHaveLength(1);
    for (const catalogueTTL of [-1, NaN]) {
      const made = setup(() => undefined, { catalogueTTL });
      expect(await caught(made)).toBeInstanceOf(ResiduaError);
    }
  });
});
