import type { ApiError } from "@residua/engine/api";
import { namedField, ValidationError } from "./validation-error.ts";

const types: Partial<Record<number, string>> = {
  401: "authentication_error",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "internal_error",
};

/** The body of an error answer: `detail` for what is wrong with a body, otherwise the error at the top level. */
export function octoaiErrorBody(error: ApiError): object {
  if (error instanceof ValidationError) return { detail: error.issues };
  const { message, code, status, param } = error;
  const type = types[status] ?? "invalid_request_error";
  return { object: "error", message, type, code, param: param ?? namedField(message) };
}
