import { Client, Pool } from "undici";
import type { Incoming, Transport } from "./transport.ts";
import { faultOf } from "./transport-fault.ts";

/**
 * One undici pool for one origin. Its own header and body timers are off: the caller's signal carries the deadline, so
 * that a cold boot of many minutes is not cut at undici's 300 seconds.
 */
export function poolTransport(origin: string): Transport {
  const pool = new Pool(origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 30_000 },
    factory: (at, options: Client.Options) => tellingClient(new Client(at, options)),
  });
  return {
    async open({ method, url, headers, body, signal }) {
      const ticket: Ticket = { reused: false };
      const path = url.pathname + url.search;
      const request = { method, path, headers: { ...headers }, body: body ?? null, signal, ticket };
      const answer = await pool.request(request).catch((error: unknown) => {
        throw faultOf(error, { reused: ticket.reused, answered: false });
      });
      const fault = (error: unknown) => faultOf(error, { reused: ticket.reused, answered: true });
      return {
        status: answer.statusCode,
        headers: flat(answer.headers),
        bytes: () => answer.body.bytes().catch((error: unknown) => Promise.reject(fault(error))),
        async *chunks() {
          try {
            yield* answer.body as AsyncIterable<Uint8Array>;
          } catch (error) {
            throw fault(error);
          }
        },
      } satisfies Incoming;
    },
    close: () => pool.close(),
  };
}

/** Rides on a request's options to the connection that takes it. */
interface Ticket {
  reused: boolean;
}

/** Only a connection that stood before the request came can have been closed behind our back; this one says so. */
function tellingClient(client: Client): Client {
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (options, handler) => {
    const { ticket } = options as { ticket?: Ticket };
    if (ticket) ticket.reused = client.stats.connected;
    return dispatch(options, handler);
  };
  return client;
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
