import { randomBytes } from "node:crypto";
import { EngineRequestError } from "@residua/engine";
import { Hono, type Context } from "hono";
import { ApiError, errorBody } from "./api-error.ts";
import { checkApiKey } from "./api-key.ts";
import { parseCompletionRequest } from "./completion-request.ts";
import { completionJson } from "./completion-response.ts";
import { prepareCompletion } from "./prepare-completion.ts";
import { readJsonBody } from "./read-json-body.ts";
import { findModel, modelList, type ServedModel } from "./served-model.ts";
import { textBody } from "./text-body.ts";

interface AppOptions {
  readonly served: readonly ServedModel[];
  readonly apiKey: string | undefined;
  /** Called with one line for each problem that is the server's own. */
  readonly log: (line: string) => void;
}

type Env = { Variables: { requestId: string } };

/** The routes of the API, with no socket beneath. */
export function createApp({ served, apiKey, log }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const sent = context.req.header("x-request-id") ?? "";
    const id = /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `req_${randomBytes(10).toString("hex")}`;
    context.set("requestId", id);
    context.header("x-request-id", id);
    await next();
  });
  const health = (context: Context<Env>) => context.json({ status: "ok" });
  app.get("/health", health);
  app.get("/v1/health", health);
  if (apiKey !== undefined) {
    app.use(async (context, next) => {
      checkApiKey(context.req.header("authorization"), apiKey);
      await next();
    });
  }
  app.get("/v1/models", (context) => context.json(modelList(served)));
  app.post("/v1/completions", (context) => complete(context, served));
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
    if (error instanceof ApiError) return answer(context, error);
    if (error instanceof EngineRequestError)
      return answer(context, new ApiError(400, requestCode(error), error.message));
    if (context.req.raw.signal.aborted)
      return answer(context, new ApiError(400, "invalid_request", "the connection closed"));
    log(`residua server: ${context.get("requestId")}: ${describe(error)}`);
    return answer(context, new ApiError(500, "internal_error", "the server failed; its log has the reason"));
  });
  return app;
}

async function complete(context: Context<Env>, served: readonly ServedModel[]): Promise<Response> {
  const request = parseCompletionRequest(await readJsonBody(context.req.raw));
  const model = findModel(served, request.model);
  const prepared = prepareCompletion(request, model);
  // Ends the other prompts too when the connection closes or one of them fails.
  const end = new AbortController();
  const { signal } = end;
  const closed = () => end.abort(new Error("the connection closed"));
  context.req.raw.signal.addEventListener("abort", closed, { once: true });
  try {
    const generations = await model.model.generate(
      prepared.generations.map((generation) => ({ ...generation, signal })),
    );
    context.header("content-type", "application/json");
    return context.body(textBody(completionJson(request, prepared, generations, model)));
  } finally {
    context.req.raw.signal.removeEventListener("abort", closed);
    end.abort(new Error("the request ended"));
  }
}

function requestCode({ code }: EngineRequestError): string {
  return code === "context_length_exceeded" ? code : "invalid_request";
}

function answer(context: Context<Env>, error: ApiError): Response {
  if (error.status === 401) context.header("www-authenticate", "Bearer");
  return context.json(errorBody(error, context.get("requestId")), error.status);
}

/** One line, with the causes, without a stack. */
function describe(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${describe(error.cause)})` : "";
  return `${error.name}: ${error.message}${cause}`.replaceAll(/\s+/g, " ");
}
