import { randomBytes } from "node:crypto";
import { Hono, type Context } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { ApiError, explainError } from "@residua/engine/api";
import type { AppEnv, AppOptions } from "./app-options.ts";
import type { Profile } from "./profile.ts";
import { noQuirks } from "./quirks/active-quirks.ts";
import { meetQuirks } from "./quirks/meet-quirks.ts";
import { sendJson } from "./send-json.ts";

/** The routes of a profile and what all profiles share, with no socket beneath. */
export function createApp(profile: Profile, options: AppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    const sent = context.req.header("x-request-id") ?? "";
    const id = /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `req_${randomBytes(10).toString("hex")}`;
    context.set("requestId", id);
    context.set("quirks", noQuirks);
    context.header("x-request-id", id);
    await next();
  });
  // Any page may ask, none with credentials: a key is a header that the page has to know.
  app.use(
    cors({
      origin: "*",
      allowMethods: ["GET", "POST", "DELETE", "OPTIONS"],
      exposeHeaders: ["X-Acs-Longpoll", "Retry-After"],
    }),
  );
  app.use(compress({ encoding: "gzip", threshold: 500, contentTypeFilter: /^application\/json\b/ }));
  app.use(meetQuirks(options.chooseQuirks));
  profile.addRoutes(app, options);
  const answer = (context: Context<AppEnv>, error: ApiError) => {
    if (error.status === 401) context.header("www-authenticate", "Bearer");
    if (error.retryAfter !== undefined) context.header("retry-after", String(error.retryAfter));
    const body = profile.errorBody(error, context.get("requestId"));
    return sendJson(context, JSON.stringify(body), error.status);
  };
  app.notFound((context) => {
    const allowed = allowedMethods(app, context.req.path);
    if (allowed.length > 0) {
      context.header("allow", allowed.join(", "));
      const message = `${context.req.path} takes ${allowed.join(", ")}, not ${context.req.method}`;
      return answer(context, new ApiError(405, "method_not_allowed", message));
    }
    const message = `there is no ${context.req.method} ${context.req.path}; GET /openapi.json lists what there is`;
    return answer(context, new ApiError(404, "not_found", message));
  });
  app.onError((error, context) => {
    // Nobody reads this answer, and the reason is no problem of the server's. Where a body was being read, its error can come
    // before the signal does.
    if (context.req.raw.signal.aborted || (error as NodeJS.ErrnoException).code === "ECONNRESET")
      return answer(context, new ApiError(400, "invalid_request", "the connection closed"));
    return answer(context, explainError(error, options.log, context.get("requestId")));
  });
  return app;
}

/** The methods that a path answers, beside what is there for every method. */
function allowedMethods(app: Hono<AppEnv>, path: string): string[] {
  const count = (method: string) => app.router.match(method, path)[0].length;
  const shared = count("NONE");
  const own = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => count(method) > shared);
  return own.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}
