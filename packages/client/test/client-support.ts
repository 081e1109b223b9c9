import { afterEach, expect } from "vitest";
import { type Client, type ClientOptions, createClient } from "../src/index.ts";
import { type FaultServer, faultServer, type Script } from "./fault-server.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** A client of a scripted server, both closed after the test. It waits but briefly between tries. */
export async function serverAndClient(
  script: Script,
  options: ClientOptions = {},
): Promise<{ server: FaultServer; client: Client }> {
  const server = await faultServer(script);
  const client = createClient({
    baseURL: server.url,
    apiKey: "",
    backoff: { first: 1, longest: 4 },
    ...options,
  });
  open.push(server, client);
  return { server, client };
}

/** What a promise rejects with. */
export const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
