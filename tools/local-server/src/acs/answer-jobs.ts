import type { Context, Hono } from "hono";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { shownJob } from "./job-record.ts";
import { readJsonBody } from "../read-json-body.ts";
import { sendJson } from "../send-json.ts";

/** The routes under /v1/jobs/completions. */
export function addJobRoutes(app: Hono<AppEnv>, { jobs }: AppOptions): void {
  const base = "/v1/jobs/completions";
  app.post(base, async (context) => {
    const record = await jobs.submit(context.get("client"), await readJsonBody(context.req.raw));
    return sendJson(context, JSON.stringify(shownJob(record)), 202);
  });
  app.get(base, (context) => {
    const data = jobs.list(context.get("client")).map(shownJob);
    return sendJson(context, JSON.stringify({ object: "list", data }));
  });
  app.get(`${base}/:id`, (context) =>
    sendJson(context, JSON.stringify(shownJob(jobs.get(context.get("client"), context.req.param("id"))))),
  );
  app.get(`${base}/:id/result`, async (context) =>
    sendJson(context, await jobs.result(context.get("client"), context.req.param("id"))),
  );
  const cancel = async (context: Context<AppEnv>) => {
    const record = await jobs.cancel(context.get("client"), context.req.param("id") ?? "");
    return sendJson(context, JSON.stringify(shownJob(record)));
  };
  app.delete(`${base}/:id`, cancel);
  app.post(`${base}/:id/cancel`, cancel);
}
