import { type APIConnectionError, APIError, type APIErrorFields } from "./api-error.ts";
import { beginning, holdsError, type RawAnswer, readErrorBody, requestIDOf } from "./error-body.ts";
import { BytesBody } from "./bytes-body.ts";
import { JSONBody, type ReadBody, tooLarge } from "./json-body.ts";
import type { Redactor } from "./redactor.ts";
import { type Retry, retryOfAnswer } from "./retry-policy.ts";
import type { Incoming } from "./transport.ts";
import type { TryClock } from "./try-clock.ts";

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

/** A JSON answer. In one over 16 MiB the long base64 `data` of tensors are Uint8Arrays. */
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

export interface Failure {
  error: APIError | APIConnectionError;
  retry: Retry;
}

/** One try under way. */
export interface Try {
  attempt: number;
  clock: TryClock;
  redact: Redactor;
  maxResponseBytes: number;
  /** The class of a fault, by what ended the try. */
  explain: (fault: unknown) => Failure;
  /** A 2xx body for which this holds is an answer even with `error` in it. */
  accepts: ((body: unknown) => boolean) | undefined;
}

/** Reads the whole answer as JSON. */
export async function readWhole(incoming: Incoming, current: Try): Promise<Answer | Failure> {
  const { attempt, clock, redact, maxResponseBytes, accepts } = current;
  const { status, headers } = incoming;
  const { text, value: body, cut, reason } = await readJSON(incoming, maxResponseBytes);
  clock.stop();
  const answer: RawAnswer = { status, headers, text };
  const fields = () => readErrorBody(answer, body, redact);
  const isError = status < 200 || status >= 300 || (holdsError(body) && accepts?.(body) !== true);
  if (isError) return failure(fields(), attempt);
  if (body === undefined) {
    const code = cut ? "incomplete_response" : "unexpected_response";
    const message = cut
      ? "the answer ended before it was whole"
      : `the answer is not JSON${reason === undefined ? "" : ` (${redact(reason)})`}: ${beginning(text, redact)}`;
    const { error } = failure({ ...fields(), code, message, retryable: cut }, attempt);
    return { error, retry: cut ? "repeatable" : "never" };
  }
  return { body, ...head(answer, body, current) };
}

async function readJSON(incoming: Incoming, limit: number): Promise<ReadBody> {
  const { status, headers, value } = incoming;
  if (value !== undefined) {
    // Only errors quote their text.
    const text = status < 200 || status >= 300 ? JSON.stringify(value) : "";
    return { text, value, cut: false };
  }
  const sink = new JSONBody(limit, Number(headers["content-length"]));
  await incoming.read(sink);
  return sink.end();
}

/** Takes the body as it is; that of an error is read as JSON. */
export async function readBytes(incoming: Incoming, current: Try): Promise<Answer | Failure> {
  const { status, headers } = incoming;
  if (status < 200 || status >= 300) return readWhole(incoming, current);
  const sink = new BytesBody(current.maxResponseBytes, Number(headers["content-length"]));
  await incoming.read(sink);
  current.clock.stop();
  return { body: sink.end(), ...head({ status, headers, text: "" }, undefined, current) };
}

/** Hands on the answer as a stream. */
export async function readStream(incoming: Incoming, current: Try): Promise<OpenAnswer | Failure> {
  const { status, headers } = incoming;
  const { attempt, redact } = current;
  const isStream = /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
  if (status < 200 || status >= 300 || !isStream) {
    const whole = await readWhole(incoming, current);
    if ("retry" in whole) return whole;
    throw whole.unexpected("unexpected_response", "a stream was asked for and the answer is JSON");
  }
  return {
    ...head({ status, headers, text: "" }, undefined, current),
    chunks: () => ({ [Symbol.asyncIterator]: () => streamed(incoming.chunks(), current) }),
    errorOf: (body) =>
      failure(readErrorBody({ status, headers, text: JSON.stringify(body) }, body, redact), attempt).error,
  };
}

function streamed(
  pieces: AsyncIterator<Uint8Array, undefined>,
  { clock, explain, maxResponseBytes }: Try,
): AsyncIterator<Uint8Array, undefined> {
  let total = 0;
  const fail = (fault: unknown): never => {
    throw explain(fault).error;
  };
  const count = (piece: IteratorResult<Uint8Array, undefined>) => {
    if (piece.done) clock.stop();
    else if ((total += piece.value.length) > maxResponseBytes) {
      void pieces.return?.();
      fail(tooLarge(maxResponseBytes));
    }
    return piece;
  };
  return {
    next: () => pieces.next().then(count, fail),
    async return() {
      clock.stop();
      await pieces.return?.();
      return { done: true, value: undefined };
    },
  };
}

function head(answer: RawAnswer, body: unknown, { attempt, redact }: Try): AnswerHead {
  return {
    status: answer.status,
    headers: answer.headers,
    requestID: requestIDOf(answer, body, redact),
    attempts: attempt,
    unexpected(code, message) {
      const fields = readErrorBody(answer, body, redact);
      return failure({ ...fields, code, message: redact(message) }, attempt).error;
    },
  };
}

function failure(fields: APIErrorFields, attempts: number): { error: APIError; retry: Retry } {
  const retry = retryOfAnswer(fields);
  return { error: new APIError({ ...fields, retryable: retry !== "never", attempts }), retry };
}
