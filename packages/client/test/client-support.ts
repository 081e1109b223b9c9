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

/** Looks like a real one and stands out. */
export const testKey = "acs-bm-abcd1234-SECRETSECRETSECRETSECRETSECRETSECRETSECRET";

/** A scripted server and a client of it that waits only milliseconds between tries; both are closed after the test. */
export async function setup(
  script: Script,
  options: ClientOptions = {},
): Promise<{ server: FaultServer; client: Client }> {
  const server = closing(await faultServer(script));
  const backoff = { first: 1, longest: 4 };
  const client = closing(createClient({ baseURL: server.url, apiKey: testKey, backoff, ...options }));
  return { server, client };
}

export const request = { model: "llama-8b", prompt: "The sky is", max_tokens: 2 };

/** The error that a promise ends with. */
export function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );
}
