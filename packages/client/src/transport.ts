import { Client, Pool } from "undici";
import type { RawAnswer } from "./error-body.ts";

export interface Outgoing {
  method: "GET" | "POST";
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  signal: AbortSignal;
}

/** No whole answer came. `reason` is the code of the fault; `answered` says whether headers had come. */
export class TransportFault extends Error {
  readonly reason: string;
  readonly reused: boolean;
  readonly answered: boolean;

  constructor(reason: string, message: string, { reused, answered }: { reused: boolean; answered: boolean }) {
    super(message);
    this.reason = reason;
    this.reused = reused;
    this.answered = answered;
  }
}

/** Sends one request and reads its whole answer. Rejects with TransportFault, also when the signal ends it. */
export interface Transport {
  send(request: Outgoing): Promise<RawAnswer>;
  close(): Promise<void>;
}

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
    async send({ method, url, headers, body, signal }) {
      const ticket: Ticket = { reused: false };
      let answered = false;
      try {
        const path = url.pathname + url.search;
        const request = { method, path, headers: { ...headers }, body: body ?? null, signal, ticket };
        const answer = await pool.request(request);
        answered = true;
        const bytes = await answer.body.bytes();
        return { status: answer.statusCode, headers: flat(answer.headers), text: decode(bytes) };
      } catch (error) {
        throw faultOf(error, { reused: ticket.reused, answered });
      }
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

/** Sends with the given fetch. It cannot say whether a connection was reused, so such resets count as any other fault. */
export function fetchTransport(fetchWith: typeof fetch): Transport {
  return {
    async send({ method, url, headers, body, signal }) {
      let answered = false;
      try {
        const answer = await fetchWith(url, { method, headers: { ...headers }, body: body ?? null, signal });
        answered = true;
        const bytes = new Uint8Array(await answer.arrayBuffer());
        return { status: answer.status, headers: Object.fromEntries(answer.headers), text: decode(bytes) };
      } catch (error) {
        throw faultOf(error, { reused: false, answered });
      }
    },
    close: () => Promise.resolve(),
  };
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

function decode(bytes: Uint8Array): string {
  if (bytes.byteLength > longestText) {
    throw Object.assign(
      new Error(`an answer of ${bytes.byteLength} bytes is over the ${longestText} that one text can hold`),
      {
        code: "response_too_large",
      },
    );
  }
  return new TextDecoder().decode(bytes);
}

/** V8's longest string. */
const longestText = 2 ** 29 - 24;

/** fetch wraps the fault of the socket in the cause of a TypeError; a host with several addresses gives several faults. */
function faultOf(error: unknown, at: { reused: boolean; answered: boolean }): TransportFault {
  const outer = asFault(error);
  const inner = asFault(outer.cause ?? outer.errors?.[0]);
  const reason = outer.code ?? inner.code ?? outer.name ?? "unknown";
  return new TransportFault(reason, inner.message || outer.message || reason, at);
}

interface Fault {
  code?: string;
  name?: string;
  message?: string;
  cause?: unknown;
  errors?: readonly unknown[];
}

function asFault(value: unknown): Fault {
  const { code, name, message, cause, errors } = (value ?? {}) as Record<keyof Fault, unknown>;
  return {
    ...(typeof code === "string" && { code }),
    ...(typeof name === "string" && { name }),
    ...(typeof message === "string" && { message }),
    cause,
    ...(Array.isArray(errors) && { errors }),
  };
}
