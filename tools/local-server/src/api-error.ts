/** What a request is answered with when it is refused or fails. */
export class ApiError extends Error {
  readonly status: 400 | 401 | 404 | 413 | 500;
  readonly code: string;

  constructor(status: ApiError["status"], code: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

/** A request that breaks a rule; the message names the field and says what is allowed. */
export function invalidRequest(message: string): ApiError {
  return new ApiError(400, "invalid_request", message);
}

/** The body of an error answer. */
export function errorBody(error: ApiError, requestId: string): object {
  const type = error.status === 500 ? "internal_error" : "invalid_request_error";
  return { error: { message: error.message, type, code: error.code }, request_id: requestId };
}
