import type { Context } from "hono";
import type { AppEnv } from "../../app-options.ts";

interface GatewayError {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** What the envelope says of it beside. */
  readonly more?: object;
  /** Seconds of the header Retry-After. */
  readonly retryAfter?: number;
}

/** An error of what stands before the server, in the hosted API's envelope. */
export function gatewayError(
  context: Context<AppEnv>,
  { status, code, type, message, more, retryAfter }: GatewayError,
): Response {
  const requestId = context.get("requestId");
  const body = { error: { message, type, code, ...more }, request_id: requestId };
  const headers = { "content-type": "application/json", "x-request-id": requestId };
  return new Response(JSON.stringify(body), {
    status,
    headers: retryAfter === undefined ? headers : { ...headers, "retry-after": String(retryAfter) },
  });
}
