import type { Context } from "hono";
import type { ApiError } from "@residua/engine/api";
import type { AppEnv } from "./app-options.ts";

/** Answers with JSON text. The length is told, so that a short answer is not compressed. */
export function sendJson(
  context: Context<AppEnv>,
  body: string | ReadableStream<Uint8Array>,
  status: 200 | 202 | ApiError["status"] = 200,
): Response {
  context.header("content-type", "application/json");
  if (typeof body === "string") context.header("content-length", String(Buffer.byteLength(body)));
  return context.body(body, status);
}
