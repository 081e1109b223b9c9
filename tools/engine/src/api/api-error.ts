/** What a request is answered with when it is refused or fails. */
export class ApiError extends Error {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 422 | 429 | 500;
  readonly code: string;
  /** Seconds after which to try again; undefined where that would not help. */
  readonly retryAfter: number | undefined;
  /** The field at fault, where the answer names it apart from the message. */
  readonly param: string | null;

  constructor(
    status: ApiError["status"],
    code: string,
    message: string,
    retryAfter?: number,
    param: string | null = null,
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    this.param = param;
  }
}

/** A request that breaks a rule; the message names the field and says what is allowed. */
export function invalidRequest(message: string): ApiError {
  return new ApiError(400, "invalid_request", message);
}

/** The body of an error answer. */
export function errorBody(error: ApiError, requestId: string) {
  const types: Partial<Record<number, string>> = { 429: "rate_limit_error", 500: "internal_error" };
  const type = types[error.status] ?? "invalid_request_error";
  return { error: { message: error.message, type, code: error.code }, request_id: requestId };
}
