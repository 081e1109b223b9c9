import type { Context } from "hono";
import { ApiError } from "@residua/engine/api";
import type { AppEnv } from "../app-options.ts";
import { sendJson } from "../send-json.ts";
import { readJson } from "./read-body.ts";
import { badBody, badRequest } from "./vllm-error.ts";
import type { AddRoute } from "./route-methods.ts";

/**
 * The routes of vllm-lens for hooks. Hooks are pickled Python functions, which this server does not run: none can be
 * registered, so there is never a result, and clearing has nothing to do.
 */
export function addHookRoutes(add: AddRoute): void {
  const always = (body: object) => (context: Context<AppEnv>) => sendJson(context, JSON.stringify(body));
  add("POST", "/v1/hooks/collect", always({ results: {} }));
  for (const name of ["clear", "clear_results", "clear_prefetched"])
    add("POST", `/v1/hooks/${name}`, always({ status: "ok" }));
  add("POST", "/v1/hooks/register", async (context) => {
    await readList(context, "hooks", "objects");
    throw badRequest(
      "hooks are Python functions (cloudpickle), which this server does not run; capture with output_residual_stream and steer with apply_steering_vectors",
    );
  });
  add("POST", "/v1/hooks/prefetch", async (context) => {
    await readList(context, "params", "strings");
    throw badRequest("parameters are prefetched for hooks, which this server does not run");
  });
  add("GET", "/v1/hooks/ui/:file", (context) => {
    // A server of pages would be a way into the file system.
    const name = (context.req.param("file") ?? "").slice(0, 100);
    throw new ApiError(404, "file_not_found", `File not found: ${name}`);
  });
}

/** Checks the body's form in vllm-lens' words. Throws ApiError 400. */
async function readList(context: Context<AppEnv>, field: string, of: string): Promise<void> {
  const body = await readJson(context.req.raw);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw badBody("Request body must be a JSON object");
  const list = (body as Readonly<Record<string, unknown>>)[field];
  if (list === undefined) throw badBody(`Missing '${field}' in request body`);
  if (!Array.isArray(list)) throw badBody(`'${field}' must be a list of ${of}`);
}
