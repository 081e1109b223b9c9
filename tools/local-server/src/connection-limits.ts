import type { ServerOptions as HttpOptions } from "node:http";

/** Milliseconds in which a request must have come whole. */
const defaultRequestTimeout = 120_000;
/** Milliseconds in which its headers must have come. */
const headersTimeout = 20_000;

/** Connections that the system keeps until a pass through the model is over; it may allow fewer. */
export const backlog = 4096;

/** What a connection may take, in time and in size, before it is answered 408 or 431 and closed. */
export function connectionLimits(requestTimeout = defaultRequestTimeout): HttpOptions {
  return {
    requestTimeout,
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    connectionsCheckingInterval: Math.min(5000, Math.ceil(requestTimeout / 4)),
    maxHeaderSize: 16 * 1024,
    // Longer than any Retry-After: a client that waits as it was told does not find its connection closed just then.
    keepAliveTimeout: 72_000,
  };
}
