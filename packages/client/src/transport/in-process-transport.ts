import type { Incoming, Outgoing, Transport } from "./transport.ts";
import { TransportFault } from "./transport-fault.ts";
import type { TryClock } from "./try-clock.ts";

/** A request as a server in this process gets it. */
export interface InProcessRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** From the server's root, such as `/v1/completions`; query included. */
  readonly path: string;
  /** The body itself, not its JSON. It is not to be changed. */
  readonly body: object | undefined;
  /** Aborts when the caller's signal does, and when a time limit runs out. */
  readonly signal: AbortSignal;
}

/** Its answer, in the form of the profile's servers. */
export interface InProcessAnswer {
  readonly status: number;
  /** The body itself. The `data` of a tensor may be a Uint8Array instead of base64. */
  readonly body: unknown;
}

/** A server in this process. What `answer` throws goes to the caller as it is; an answer of another status than 2xx becomes an APIError. */
export interface InProcessServer {
  /** Answers one request; rejects or ends early when its signal aborts. */
  answer(request: InProcessRequest): Promise<InProcessAnswer>;
}

/** Hands requests over without a connection, and without JSON. */
export function inProcessTransport(server: InProcessServer): Transport {
  return {
    takesValues: true,
    open: (request, clock) => ask(server, request, clock),
    close: () => Promise.resolve(),
  };
}

async function ask(
  server: InProcessServer,
  { method, path, value: body }: Outgoing,
  clock: TryClock,
): Promise<Incoming> {
  const controller = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    clock.onEnd = () => {
      controller.abort();
      reject(new TransportFault("stopped", "stopped by the clock", { reused: false, answered: false }));
    };
  });
  if (clock.ended !== undefined) clock.onEnd?.();
  clock.enter("headers");
  const answered = server.answer({ method, path, body, signal: controller.signal });
  const { status, body: value } = await Promise.race([answered, stopped]);
  clock.rest();
  const bytes = () => new TextEncoder().encode(JSON.stringify(value));
  return {
    status,
    headers: {},
    value,
    read: (sink) => Promise.resolve(void sink.write(bytes())),
    async *chunks() {
      yield await Promise.resolve(bytes());
      return undefined;
    },
  };
}
