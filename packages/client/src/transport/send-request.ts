import {
  APIAbortError,
  APIConnectionError,
  APIError,
  type APIErrorFields,
  APITimeoutError,
} from "./api-error.ts";
import { bodyText } from "./body-text.ts";
import type { Patience } from "../client-settings.ts";
import { type Deadline, pause, startDeadline } from "./deadline.ts";
import { bodyExcerpt, holdsError, type RawAnswer, readErrorBody } from "./error-body.ts";
import type { Redactor } from "./redactor.ts";
import { type Retry, retryOfAnswer, retryOfConnection, waitBefore } from "./retry-policy.ts";
import type { Incoming, Outgoing, Transport } from "./transport.ts";
import { TransportFault } from "./transport-fault.ts";

export interface SendOptions extends Patience {
  transport: Transport;
  redact: Redactor;
  signal: AbortSignal | undefined;
  /** Sending it twice gives the same answer. */
  repeatable: boolean;
  /** Keeps a fault that would be tried again from being so; see Call. */
  mayRetry?: ((error: APIError | APIConnectionError) => boolean) | undefined;
  /** A 2xx body for which this holds is an answer even with `error` in it. */
  accepts?: ((body: unknown) => boolean) | undefined;
}

/** What every answer of status 2xx that is not an error has. */
export interface AnswerHead {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  requestID: string | undefined;
  /** Tries made, this one included. */
  attempts: number;
  /** Makes the error for a body that is not what was asked for, or for an error that a stream carries. */
  unexpected: (code: string, message: string) => APIError;
}

/** A JSON answer. */
export interface Answer extends AnswerHead {
  body: unknown;
}

/** A stream whose headers have come. */
export interface OpenAnswer extends AnswerHead {
  /** The body as it arrives. Throws APIConnectionError, APITimeoutError or APIAbortError; leaving it closes the connection. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Makes the error for an event that holds `error`. */
  errorOf: (body: unknown) => APIError;
}

type Failure = { error: APIError | APIConnectionError; retry: Retry };

/** Sends, and sends again where the fault allows it. Throws APIError, APIConnectionError, APITimeoutError or APIAbortError. */
export function sendRequest(request: Omit<Outgoing, "signal">, options: SendOptions): Promise<Answer> {
  return withRetries(options, (attempt) => trySending(request, attempt, options, readWhole));
}

/** The same for an answer that is a stream; one that is JSON after all is read whole and, when no error, refused. */
export function openStream(request: Omit<Outgoing, "signal">, options: SendOptions): Promise<OpenAnswer> {
  return withRetries(options, (attempt) => trySending(request, attempt, options, readStream));
}

async function withRetries<T extends object>(
  options: SendOptions,
  send: (attempt: number) => Promise<T | Failure>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await send(attempt);
    if (!("retry" in outcome)) return outcome;
    const { error, retry } = outcome;
    const kind = retry === "always" || (retry === "repeatable" && options.repeatable);
    const allowed = kind && (options.mayRetry?.(error) ?? true);
    const retryAfter = error instanceof APIError ? error.retryAfter : undefined;
    const wait = waitBefore(attempt, retryAfter, options.backoff);
    if (
      !allowed ||
      attempt > options.maxRetries ||
      (retryAfter !== undefined && wait > options.longestRetryAfter)
    )
      throw error;
    await pause(wait, options.signal, () => new APIAbortError());
  }
}

/** One try under way. */
interface Try {
  attempt: number;
  deadline: Deadline;
  redact: Redactor;
  /** The class of a fault, by what ended the try. */
  explain: (fault: unknown) => Failure;
  accepts: SendOptions["accepts"];
}

async function trySending<T>(
  request: Omit<Outgoing, "signal">,
  attempt: number,
  { transport, redact, timeout, signal, accepts }: SendOptions,
  read: (incoming: Incoming, current: Try) => Promise<T | Failure>,
): Promise<T | Failure> {
  if (signal?.aborted) throw new APIAbortError();
  const deadline = startDeadline(timeout, signal);
  const explain = (fault: unknown): Failure => {
    deadline.end();
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
  };
  try {
    const incoming = await transport.open({ ...request, signal: deadline.signal });
    return await read(incoming, { attempt, deadline, redact, explain, accepts });
  } catch (fault) {
    return explain(fault);
  }
}

async function readWhole(incoming: Incoming, current: Try): Promise<Answer | Failure> {
  const { attempt, deadline, redact, accepts } = current;
  const text = bodyText(await incoming.bytes());
  deadline.end();
  const answer: RawAnswer = { status: incoming.status, headers: incoming.headers, text };
  const body = parseJSON(text);
  const ok = answer.status >= 200 && answer.status < 300;
  const fields = () => readErrorBody(answer, body, redact);
  if (!ok || (holdsError(body) && accepts?.(body) !== true)) return failure(fields(), attempt);
  if (body === undefined) {
    const cut = looksCut(text);
    const code = cut ? "incomplete_response" : "unexpected_response";
    const message = cut
      ? "the answer ended before it was whole"
      : `the answer is not JSON: ${bodyExcerpt(text, redact).slice(0, 200)}`;
    const { error } = failure({ ...fields(), code, message }, attempt);
    return { error, retry: cut ? "repeatable" : "never" };
  }
  return { body, ...head(answer, body, current) };
}

async function readStream(incoming: Incoming, current: Try): Promise<OpenAnswer | Failure> {
  const { status, headers } = incoming;
  const { attempt, deadline, redact, explain } = current;
  const isStream = /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
  if (status < 200 || status >= 300 || !isStream) {
    const whole = await readWhole(incoming, current);
    if ("retry" in whole) return whole;
    throw whole.unexpected("unexpected_response", "a stream was asked for and the answer is JSON");
  }
  return {
    ...head({ status, headers, text: "" }, undefined, current),
    async *chunks() {
      try {
        yield* incoming.chunks();
      } catch (fault) {
        throw explain(fault).error;
      } finally {
        deadline.end();
      }
    },
    errorOf: (body) =>
      failure(readErrorBody({ status, headers, text: JSON.stringify(body) }, body, redact), attempt).error,
  };
}

function head(answer: RawAnswer, body: unknown, { attempt, redact }: Try): AnswerHead {
  const fields = () => readErrorBody(answer, body, redact);
  return {
    status: answer.status,
    headers: answer.headers,
    requestID: fields().requestID,
    attempts: attempt,
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
