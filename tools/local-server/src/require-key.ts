import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./app-options.ts";
import type { Clients } from "./clients.ts";

/** Finds out whose request it is, for the routes after it. They answer 401 without a key of the server's. */
export function requireKey(clients: Clients): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    context.set("client", clients.authenticate(context.req.header("authorization")));
    await next();
  };
}
