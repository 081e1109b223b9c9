import { randomBytes } from "node:crypto";
import { Hono, type Context } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { answerCompletion } from "./answer-completion.ts";
import { addJobRoutes } from "./answer-jobs.ts";
import { ApiError, errorBody } from "./api-error.ts";
import type { AppEnv, AppOptions } from "./app-options.ts";
import { explainError } from "./explain-error.ts";
import { openApi } from "./open-api.ts";
import { sendJson } from "./send-json.ts";
import { findModel, modelList, modelStatus } from "./served-model.ts";

/** The routes of the API, with no socket beneath. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const { served, clients, log } = options;
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    const sent = context.req.header("x-request-id") ?? "";
    const id = /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `req_${randomBytes(10).toString("hex")}`;
    context.set("requestId", id);
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
  const fixed = (body: object) => {
    const text = JSON.stringify(body);
    return (context: Context<AppEnv>) => sendJson(context, text);
  };
  app.get("/health", fixed({ status: "ok" }));
  app.get("/v1/health", fixed({ status: "ok" }));
  app.get("/openapi.json", fixed(openApi({ needsKey: clients.needsKey })));
  app.use(async (context, next) => {
    context.set("client", clients.authenticate(context.req.header("authorization")));
    await next();
  });
  app.get("/v1/models", fixed(modelList(served)));
  app.get("/v1/models/:id/status", (context) =>
    sendJson(context, JSON.stringify(modelStatus(findModel(served, context.req.param("id"), 404)))),
  );
  app.post("/v1/completions", (context) => answerCompletion(context, options));
  addJobRoutes(app, options);
  app.post("/v1/chat/completions", () => {
    throw new ApiError(
      400,
      "chat_completions_unsupported",
      "base models do not chat; send a prompt to /v1/completions",
    );
  });
  app.notFound((context) => {
    const message = `there is no ${context.req.method} ${context.req.path}; GET /openapi.json lists what there is`;
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
  if (error.retryAfter !== undefined) context.header("retry-after", String(error.retryAfter));
  return sendJson(context, JSON.stringify(errorBody(error, context.get("requestId"))), error.status);
}
