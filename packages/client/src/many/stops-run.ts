import { ResiduaError } from "../residua-error.ts";
import { APIError } from "../transport/api-error.ts";
import { retryOfAnswer } from "../transport/retry-policy.ts";

/** The server has no room now, and will have: 429 and 503 and their codes, budget and quota left out. */
export function isBusy(error: unknown): error is APIError {
  if (!(error instanceof APIError) || !error.retryable) return false;
  const { status, code } = error;
  return retryOfAnswer({ status, code, retryable: undefined }) === "always";
}

/**
 * The error, when every later request would be refused in the same way: the budget or quota is spent, the key is refused, or
 * the server asks for a wait of more than `longestWait` milliseconds.
 */
export function stopOf(error: unknown, longestWait = Infinity): APIError | undefined {
  if (!(error instanceof APIError)) return undefined;
  if (error.status === 401 || /budget|quota/.test(error.code)) return error;
  return isBusy(error) && (error.retryAfter ?? 0) * 1000 > longestWait ? error : undefined;
}

/** The fault lies in the request, so that a pack may hold others that are without fault. */
export function blamesRequest(error: unknown): boolean {
  if (!(error instanceof APIError)) return false;
  return ([400, 413, 422].includes(error.status) || error.code === "vllm_oom") && stopOf(error) === undefined;
}

/** The outcome of a request after one that stopped the run. */
export function notSent(cause: APIError): ResiduaError {
  const message =
    `not sent: an earlier request was refused with ${cause.status} ${cause.code}, as this one would be; ` +
    "mend that and run again (with a journal, what is there is kept)";
  const error = new ResiduaError("not_sent", message, { status: cause.status, code: cause.code });
  error.cause = cause;
  return error;
}
