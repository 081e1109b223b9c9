import { randomBytes } from "node:crypto";
import { Hono, type Context } from "hono";
import { answerCompletion } from "./answer-completion.ts";
import { ApiError, errorBody } from "./api-error.ts";
import { checkApiKey } from "./api-key.ts";
import type { AppEnv, AppOptions } from "./app-options.ts";
import { explainError } from "./explain-error.ts";
import { modelList } from "./served-model.ts";

/** The routes of the API, with no socket beneath. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const { served, apiKey, log } = options;
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    const sent = context.req.header("x-request-id") ?? "";
    const id = /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `req_${randomBytes(10).toString("hex")}`;
    context.set("requestId", id);
    context.header("x-request-id", id);
    await next();
  });
  const health = (context: Context<AppEnv>) => context.json({ status: "ok" });
  app.get("/health", health);
  app.get("/v1/health", health);
  if (apiKey !== undefined) {
    app.use(async (context, next) => {
      checkApiKey(context.req.header("authorization"), apiKey);
      await next();
    });
  }
  app.get("/v1/models", (context) => context.json(modelList(served)));
  app.post("/v1/completions", (context) => answerCompletion(context, options));
  app.post("/v1/chat/completions", () => {
    throw new ApiError(
      400,
      "chat_completions_unsupported",
      "base models do not chat; send a prompt to /v1/completions",
    );
  });
  app.notFound((context) => {
    const message = `there is no ${context.req.method} ${context.req.path}; this server has GET /health, GET /v1/models and POST /v1/completions`;
    return answer(context, new ApiError(404, "not_found", message));
  });
  app.onError((error, context) => {
    // Nobody reads this answer, and the reason is no problem of the server's.
    if (context.req.raw.signal.aborted)
      return answer(context, new ApiError(400, "invalid_request", "the connection closed"));
    return answer(context, explainError(error, log, context.get("requestId")));
  });
  return app;
}

function answer(context: Context<AppEnv>, error: ApiError): Response {
  if (error.status === 401) context.header("www-authenticate", "Bearer");
  return context.json(errorBody(error, context.get("requestId")), error.status);
}
