/**
 * Whether a fault may be tried again: `never`, `always`, or only when sending the request twice gives the same answer
 * (`repeatable`: it is seeded, at temperature 0, or a GET).
 */
export type Retry = "never" | "repeatable" | "always";

/** By the server's code. A table wins over the server's `retryable` flag, and the flag over the status. */
const retryByCode: Readonly<Record<string, Retry>> = {
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

/** How an error answer is treated. A 500 is never retried: on these servers it is a fault of the request or a bug. */
export function retryOfAnswer({
  status,
  code,
  retryable,
}: {
  status: number;
  code: string;
  retryable: boolean | undefined;
}): Retry {
  if (Object.hasOwn(retryByCode, code)) return retryByCode[code] ?? "never";
  if (retryable !== undefined) return retryable ? "always" : "never";
  if (/budget|quota/.test(code)) return "never";
  if (status === 429 || status === 503) return "always";
  return status === 408 || status === 502 || status === 504 ? "repeatable" : "never";
}

/** How a failed connection is treated, by the transport's code. Nothing was sent when no connection came about. */
export function retryOfConnection(
  reason: string,
  { reused, answered }: { reused: boolean; answered: boolean },
): Retry {
  if (neverConnected.has(reason)) return "always";
  if (dropped.has(reason) && reused && !answered) return "always";
  return "repeatable";
}

const neverConnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A server may close an idle connection without saying so; the next request on it then fails with one of these. */
const dropped = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

export interface Backoff {
  first: number;
  longest: number;
}

/** Milliseconds before try `attempt` + 1: what the server asked for, else first · 2^(attempt−1) up to the longest, less up to a quarter. */
export function waitBefore(
  attempt: number,
  retryAfter: number | undefined,
  { first, longest }: Backoff,
  random = Math.random,
): number {
  if (retryAfter !== undefined) return retryAfter * 1000;
  return Math.min(longest, first * 2 ** (attempt - 1)) * (1 - 0.25 * random());
}
