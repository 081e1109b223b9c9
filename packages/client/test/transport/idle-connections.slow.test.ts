import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { request, setup } from "../client-support.ts";
import { answer, json } from "../fault-server.ts";

/** uvicorn, which serves vLLM, closes a connection that was idle for exactly this long and says so nowhere. */
const idle = 5000;

it("a server that closes idle connections after 5 s never gets a request on one of them", async () => {
  const broken: number[] = [];
  const lastUse = new Map<number, number>();
  const { server, client } = await setup(
    (seen, response, nth) => {
      const since = performance.now() - (lastUse.get(seen.socket) ?? performance.now());
      if (since >= idle) {
        broken.push(nth);
        return void response.socket?.destroy();
      }
      json(response, 200, answer());
      lastUse.set(seen.socket, performance.now());
    },
    { retry: "never" },
  );
  // Without this header of Node's own, as uvicorn does.
  server.quietKeepAlive();
  for (const pause of [3000, 3400, 4950, 5000, 5050]) {
    expect((await client.completions.create(request)).id).toBe("cmpl-1");
    await wait(pause);
  }
  expect((await client.completions.create(request)).id).toBe("cmpl-1");
  expect(broken).toEqual([]);
  // Shorter pauses keep the connection.
  const sockets = server.seen.map(({ socket }) => socket);
  expect(sockets.slice(0, 3)).toEqual([0, 0, 0]);
  expect(new Set(sockets.slice(2)).size).toBe(4);
}, 40_000);
