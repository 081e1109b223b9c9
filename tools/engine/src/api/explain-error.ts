import { EngineRequestError } from "../engine-error.ts";
import { ApiError } from "./api-error.ts";

/** The answer to an error of any kind. What is the server's own fault goes to the log, not to the client. */
export function explainError(error: unknown, log: (line: string) => void, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof EngineRequestError) {
    const code = error.code === "context_length_exceeded" ? error.code : "invalid_request";
    return new ApiError(400, code, error.message);
  }
  log(`residua server: ${requestId}: ${describe(error)}`);
  return new ApiError(500, "internal_error", "the server failed; its log has the reason");
}

/** One line, with the causes, without a stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return "something that is no error was thrown";
  const cause = error.cause instanceof Error ? ` (${describe(error.cause)})` : "";
  return `${error.name}: ${error.message}${cause}`.replaceAll(/\s+/g, " ");
}
