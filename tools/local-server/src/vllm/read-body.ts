import { ApiError } from "@residua/engine/api";
import { readJsonBody } from "../read-json-body.ts";
import { jsonError } from "./pydantic-issues.ts";
import { badBody } from "./vllm-error.ts";

/** Reads a request's JSON as vLLM does: only as application/json. Throws ApiError 400 or 413. */
export async function readBody(request: Request): Promise<unknown> {
  const type = (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type !== "application/json")
    throw badBody("1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed");
  return readJson(request);
}

/** The same for the routes that take any content type. */
export async function readJson(request: Request): Promise<unknown> {
  try {
    return await readJsonBody(request);
  } catch (error) {
    if (error instanceof ApiError && error.code === "bad_json") throw jsonError(0, "not JSON in UTF-8");
    throw error;
  }
}
