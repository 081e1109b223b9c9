import { afterEach, expect } from "vitest";
import { type Client, type ClientOptions, createClient } from "../src/index.ts";
import { type FaultServer, faultServer, type Script } from "./fault-server.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** Closed after the test. */
export function closing<T extends { close(): Promise<void> }>(thing: T): T {
  open.push(thing);
  return thing;
}

/** A client of a scripted server, both closed after the test. It waits but briefly between tries. */
export async function serverAndClient(
  script: Script,
  options: ClientOptions = {},
): Promise<{ server: FaultServer; client: Client }> {
  const server = closing(await faultServer(script));
  const backoff = { first: 1, longest: 4 };
  const client = closing(createClient({ baseURL: server.url, apiKey: "", backoff, ...options }));
  return { server, client };
}

/** A request that says nothing of its own. */
export const request = { model: "llama-8b", prompt: "The sky is", max_tokens: 2 };

/** What a promise rejects with. */
export const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );
