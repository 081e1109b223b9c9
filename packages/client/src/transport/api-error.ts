import { ResiduaError } from "../residua-error.ts";

/** What an HTTP error answer said, in one form whatever the server's envelope was. */
export interface APIErrorFields {
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
  /** Seconds, from the `Retry-After` header, else from `error.retry_after_seconds`. */
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

/** The time allowed for one try ran out. */
export class APITimeoutError extends APIConnectionError {
  readonly timeout: number;

  constructor(timeout: number, attempts: number) {
    super(
      "timeout",
      `no whole answer within ${timeout} ms${attempts > 1 ? `, ${attempts} tries` : ""}; set \`timeout\` (milliseconds) to wait longer`,
      attempts,
      "timeout",
    );
    this.timeout = timeout;
  }
}

/** The caller's signal ended the request. */
export class APIAbortError extends ResiduaError {
  constructor() {
    super("aborted", "the request was aborted by its signal");
  }
}
