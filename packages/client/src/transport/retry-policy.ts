import type { APIErrorFields } from "./api-error.ts";

/**
 * Whether a fault may be tried again: `never`, `always`, or only when sending the request twice gives the same answer
 * (`repeatable`: it is seeded, at temperature 0, or a GET). `stale` is a kept connection that the server had closed: the
 * request is sent again at once, and that is not counted.
 */
export type Retry = "never" | "repeatable" | "always" | "stale";

/** By the server's code. A table wins over the server's `retryable` flag, and the flag over the status. */
export const retryByCode: Readonly<Record<string, Exclude<Retry, "stale">>> = {
  budget_exceeded: "never",
  activation_quota_exceeded: "never",
  harvest_quota_exceeded: "never",
  vllm_oom: "never",
  internal_error: "never",
  queue_full: "always",
  rate_limited: "always",
  harvest_concurrency_exceeded: "always",
  harvest_capacity_exceeded: "always",
  circuit_open: "always",
  modal_cold_boot: "always",
  harvest_unavailable: "always",
  server_restarting: "always",
  upstream_unreachable: "repeatable",
  vllm_engine_dead: "repeatable",
};

/**
 * How an error answer is treated: budget and quota never, then the header `x-should-retry`, the table, the body's flag and
 * the status. A 500 is never retried: on these servers it is a fault of the request or a bug.
 */
export function retryOfAnswer({
  status,
  code,
  retryable,
  shouldRetry,
}: Pick<APIErrorFields, "status" | "code" | "retryable" | "shouldRetry">): Retry {
  if (/budget|quota/.test(code)) return "never";
  if (shouldRetry !== undefined) return shouldRetry ? "always" : "never";
  if (Object.hasOwn(retryByCode, code)) return retryByCode[code] ?? "never";
  if (retryable !== undefined) return retryable ? "always" : "never";
  if (status === 429 || status === 503) return "always";
  return status === 408 || status === 502 || status === 504 ? "repeatable" : "never";
}

/** How a failed connection is treated, by the transport's code. Nothing was sent when no connection came about. */
export function retryOfConnection(
  reason: string,
  { reused, answered }: { reused: boolean; answered: boolean },
): Retry {
  if (neverConnected.has(reason)) return "always";
  if (dropped.has(reason) && reused && !answered) return "stale";
  return lasting.test(reason) ? "never" : "repeatable";
}

const neverConnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "proxy_hung_up",
]);

/** A server may close an idle connection without saying so; the next request on it then fails with one of these. */
const dropped = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** These do not pass: certificates, a client that was closed, answers over a limit, a proxy that refuses. */
const lasting =
  /CERT|TLS|SSL|^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG|HEADERS_OVERFLOW)$|^response_too_large$|^content_encoding$|^proxy_refused$/;

export interface Backoff {
  first: number;
  longest: number;
}

/**
 * Milliseconds before try `attempt` + 1: first · 2^(attempt−1) up to the longest, less up to a quarter; where the server
 * asked for a wait, that and up to a tenth (a second at most) more, so that not all who were told come at once.
 */
export function waitBefore(
  attempt: number,
  retryAfter: number | undefined,
  { first, longest }: Backoff,
  random = Math.random,
): number {
  if (retryAfter !== undefined) return retryAfter * 1000 + Math.min(1000, retryAfter * 100) * random();
  return Math.min(longest, first * 2 ** (attempt - 1)) * (1 - 0.25 * random());
}
