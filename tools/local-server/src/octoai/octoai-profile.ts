import type { Context } from "hono";
import type { AppEnv } from "../app-options.ts";
import type { Profile } from "../profile.ts";
import { requireKey } from "../require-key.ts";
import { sendJson } from "../send-json.ts";
import { answerOctoai } from "./answer-octoai.ts";
import { octoaiErrorBody } from "./octoai-error.ts";
import { octoaiOpenApi } from "./octoai-open-api.ts";

/** OctoAI's text completions. */
export const octoaiProfile: Profile = {
  errorBody: octoaiErrorBody,
  addRoutes(app, options) {
    const { served, clients } = options;
    const fixed = (body: object) => {
      const text = JSON.stringify(body);
      return (context: Context<AppEnv>) => sendJson(context, text);
    };
    const created = Math.floor(Date.now() / 1000);
    const models = served
      .filter(({ listed }) => listed)
      .map(({ id }) => ({ id, object: "model", created, owned_by: "residua" }));
    app.get("/health", fixed({ status: "ok" }));
    app.get("/openapi.json", fixed(octoaiOpenApi({ needsKey: clients.needsKey })));
    app.use(requireKey(clients));
    app.get("/v1/models", fixed({ object: "list", data: models }));
    app.post("/v1/completions", (context) => answerOctoai(context, options));
  },
};
