import {
  APIAbortError,
  APIConnectionError,
  APIError,
  type APIErrorFields,
  APITimeoutError,
} from "./api-error.ts";
import { holdsError, readErrorBody, bodyExcerpt, type RawAnswer } from "./error-body.ts";
import type { Patience } from "./client-settings.ts";
import type { Redactor } from "./redactor.ts";
import { type Retry, retryOfAnswer, retryOfConnection, waitBefore } from "./retry-policy.ts";
import { type Outgoing, type Transport, TransportFault } from "./transport.ts";

export interface SendOptions extends Patience {
  transport: Transport;
  redact: Redactor;
  signal: AbortSignal | undefined;
  /** Sending it twice gives the same answer. */
  repeatable: boolean;
}

/** A JSON answer of status 2xx that is not an error. */
export interface Answer {
  body: unknown;
  requestID: string | undefined;
  /** Makes the error for a body that is JSON but not what was asked for. */
  unexpected(code: string, message: string): APIError;
}

type Failure = { error: APIError | APIConnectionError; retry: Retry };

/** Sends, and sends again where the fault allows it. Throws APIError, APIConnectionError, APITimeoutError or APIAbortError. */
export async function sendRequest(request: Omit<Outgoing, "signal">, options: SendOptions): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await trySending(request, attempt, options);
    if ("body" in outcome) return outcome;
    const { error, retry } = outcome;
    const allowed = retry === "always" || (retry === "repeatable" && options.repeatable);
    const retryAfter = error instanceof APIError ? error.retryAfter : undefined;
    const wait = waitBefore(attempt, retryAfter, options.backoff);
    if (
      !allowed ||
      attempt > options.maxRetries ||
      (retryAfter !== undefined && wait > options.longestRetryAfter)
    )
      throw error;
    await pause(wait, options.signal);
  }
}

async function trySending(
  request: Omit<Outgoing, "signal">,
  attempt: number,
  options: SendOptions,
): Promise<Answer | Failure> {
  const { transport, redact, timeout, signal } = options;
  if (signal?.aborted) throw new APIAbortError();
  const deadline = startDeadline(timeout, signal);
  let answer: RawAnswer;
  try {
    answer = await transport.send({ ...request, signal: deadline.signal });
  } catch (fault) {
    if (signal?.aborted) throw new APIAbortError();
    if (deadline.passed()) return { error: new APITimeoutError(timeout, attempt), retry: "repeatable" };
    if (!(fault instanceof TransportFault)) throw fault;
    const tries = attempt > 1 ? `, ${attempt} tries` : "";
    const message = redact(
      `no answer from ${request.url.origin}: ${fault.message} (${fault.reason}${tries})`,
    );
    if (fault.reason === "response_too_large")
      throw new APIConnectionError(fault.reason, message, attempt, fault.reason);
    return {
      error: new APIConnectionError(fault.reason, message, attempt),
      retry: retryOfConnection(fault.reason, fault),
    };
  } finally {
    deadline.end();
  }
  return readAnswer(answer, attempt, redact);
}

/** One signal for the caller's and the clock's. Ended by hand, so that nothing is left on a signal that lives long. */
function startDeadline(timeout: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  let passed = false;
  const abort = () => controller.abort();
  // A longer timer would fire at once.
  const timer = setTimeout(() => ((passed = true), abort()), Math.min(timeout, 2 ** 31 - 1));
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    passed: () => passed,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

function readAnswer(answer: RawAnswer, attempt: number, redact: Redactor): Answer | Failure {
  const body = parseJSON(answer.text);
  const ok = answer.status >= 200 && answer.status < 300;
  const fields = () => readErrorBody(answer, body, redact);
  if (!ok || holdsError(body)) return failure(fields(), attempt);
  if (body === undefined) {
    const cut = looksCut(answer.text);
    const code = cut ? "incomplete_response" : "unexpected_response";
    const message = cut
      ? "the answer ended before it was whole"
      : `the answer is not JSON: ${bodyExcerpt(answer.text, redact).slice(0, 200)}`;
    const { error } = failure({ ...fields(), code, message }, attempt);
    return { error, retry: cut ? "repeatable" : "never" };
  }
  return {
    body,
    requestID: fields().requestID,
    unexpected: (code, message) => failure({ ...fields(), code, message: redact(message) }, attempt).error,
  };
}

function failure(fields: APIErrorFields, attempts: number): { error: APIError; retry: Retry } {
  const retry = retryOfAnswer(fields);
  return { error: new APIError({ ...fields, retryable: retry !== "never", attempts }), retry };
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A server that keeps a slow answer alive sends white space first; an answer cut there is white space only. */
function looksCut(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === "" || (trimmed.startsWith("{") && !trimmed.endsWith("}"));
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(new APIAbortError());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}
