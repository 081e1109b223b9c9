/** V8's longest string. */
export const longestText = 2 ** 29 - 24;

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

/** fetch wraps the fault of the socket in the cause of a TypeError; a host with several addresses gives several faults. */
export function faultOf(error: unknown, at: { reused: boolean; answered: boolean }): TransportFault {
  const outer = asFault(error);
  const inner = asFault(outer.cause ?? outer.errors?.[0]);
  const message = inner.message || outer.message;
  // undici has no code of its own for these.
  const refused = /^Proxy (response|authentication)/i.test(message ?? "");
  const reason = refused ? "proxy_refused" : (outer.code ?? inner.code ?? outer.name ?? "unknown");
  return new TransportFault(reason, message || reason, at);
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
