import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "hono";

/** The connection of a request; undefined where the routes run without a server beneath. */
export function socketOf(context: Context): Socket | undefined {
  return (context.env as { incoming?: IncomingMessage } | undefined)?.incoming?.socket;
}
