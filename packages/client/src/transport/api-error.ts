import { ResiduaError } from "../residua-error.ts";
import type { TimeLimits } from "./try-clock.ts";

/** What an HTTP error answer said, in one form whatever the server's envelope was. */
export interface APIErrorFields {
  /** Of the answer; of an error under a 2xx, such as one within a stream, the status that it states. */
  status: number;
  /** The server's own code where it sent a string, else one by status: `http_502`, `unauthorized`, … */
  code: string;
  message: string;
  type: string | undefined;
  /** The field that the server blames (`param` of vLLM). */
  param: string | undefined;
  requestID: string | undefined;
  /** The server's own `error.retryable`, when it sent one. */
  retryable: boolean | undefined;
  /** The header `x-should-retry`, when it was sent. */
  shouldRetry?: boolean | undefined;
  /** Seconds, from the headers `retry-after-ms` and `Retry-After`, else from `error.retry_after_seconds`. */
  retryAfter: number | undefined;
  /** At most 2000 characters of the body. */
  body: string;
}

/** The server answered with an error, or with a 200 whose body is an error or is not an answer. */
export class APIError extends ResiduaError {
  readonly status: number;
  readonly type: string | undefined;
  readonly param: string | undefined;
  readonly requestID: string | undefined;
  /** Whether sending the same request again can succeed. */
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  readonly body: string;
  /** Tries made, this one included. */
  readonly attempts: number;

  constructor(fields: APIErrorFields & { retryable: boolean; attempts: number }) {
    const { status, code, message, requestID, attempts } = fields;
    const tries = attempts > 1 ? ` after ${attempts} tries` : "";
    const id = requestID === undefined ? "" : ` (request ${requestID})`;
    super(code, `${status} ${code}: ${message}${id}${tries}`, { status, requestID, attempts });
    this.status = status;
    this.type = fields.type;
    this.param = fields.param;
    this.requestID = requestID;
    this.retryable = fields.retryable;
    this.retryAfter = fields.retryAfter;
    this.body = fields.body;
    this.attempts = attempts;
  }
}

/** No whole answer came: refused, reset, cut off, unknown host. `reason` is the transport's own code. */
export class APIConnectionError extends ResiduaError {
  readonly reason: string;
  readonly attempts: number;

  constructor(reason: string, message: string, attempts: number, code = "connection_error") {
    super(code, message, { reason, attempts });
    this.reason = reason;
    this.attempts = attempts;
  }
}

/** One of the time limits of a try ran out: `limit` says which, `timeout` its milliseconds. */
export class APITimeoutError extends APIConnectionError {
  readonly limit: keyof TimeLimits;
  readonly timeout: number;

  constructor(limit: keyof TimeLimits, timeout: number, attempts: number) {
    const tries = attempts > 1 ? `, ${attempts} tries` : "";
    const advice = `set \`timeout.${limit}\` (milliseconds) to wait longer`;
    super("timeout", `${whatDidNotCome[limit]} ${timeout} ms${tries}; ${advice}`, attempts, "timeout");
    this.limit = limit;
    this.timeout = timeout;
  }
}

const whatDidNotCome: Readonly<Record<keyof TimeLimits, string>> = {
  connect: "no connection within",
  headers: "no answer within",
  body: "the answer began and then nothing came for",
  total: "no whole answer within",
};

/** The caller's signal ended the request. */
export class APIAbortError extends ResiduaError {
  constructor() {
    super("aborted", "the request was aborted by its signal");
  }
}
