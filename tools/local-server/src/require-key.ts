import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./app-options.ts";
import type { Clients } from "./clients.ts";
import type { Scope } from "./key-records.ts";

/**
 * Finds out whose request it is, for the routes after it. They answer 401 without a key of the server's, and 403 where the
 * key has not their scope.
 */
export function requireKey(clients: Clients): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const client = clients.authenticate(context.req.header("authorization"));
    client.need(scopeOf(context.req.path));
    context.set("client", client);
    await next();
  };
}

/** What a path needs: what samples, or looks into the model, is a completion. */
function scopeOf(path: string): Scope {
  if (path.startsWith("/v1/jobs/")) return "jobs";
  return path === "/v1/models" || path.startsWith("/v1/models/") ? "models" : "completions";
}
