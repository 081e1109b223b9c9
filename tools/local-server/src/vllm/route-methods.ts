import type { Context, Hono } from "hono";
import { ApiError } from "@residua/engine/api";
import type { AppEnv } from "../app-options.ts";

type RouteHandler = (context: Context<AppEnv>) => Response | Promise<Response>;

/** Adds a route for one method. */
export type AddRoute = (method: "GET" | "POST", path: string, handler: RouteHandler) => void;

export function adderTo(app: Hono<AppEnv>): AddRoute {
  return (method, path, handler) => {
    app.on(method, path, (context) => {
      // HEAD comes here too, as a GET.
      if (context.req.raw.method !== method) throw methodNotAllowed(context, [method]);
      return handler(context);
    });
  };
}

/** To be called last: a path that there is, asked for by another method, answers 405 and says which it takes. */
export function refuseOtherMethods(app: Hono<AppEnv>): void {
  const methods = new Map<string, string[]>();
  for (const { method, path } of app.routes) {
    if (method !== "ALL") methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, allowed] of methods) {
    app.all(path, (context) => {
      throw methodNotAllowed(context, allowed);
    });
  }
}

function methodNotAllowed(context: Context<AppEnv>, allowed: readonly string[]): ApiError {
  context.header("allow", allowed.join(", "));
  return new ApiError(405, "method_not_allowed", "Method Not Allowed");
}
