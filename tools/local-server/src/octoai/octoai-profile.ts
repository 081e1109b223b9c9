import { fixedJson } from "../fixed-json.ts";
import type { Profile } from "../profile.ts";
import { requireKey } from "../require-key.ts";
import { answerOctoai } from "./answer-octoai.ts";
import { octoaiErrorBody } from "./octoai-error.ts";
import { octoaiOpenApi } from "./octoai-open-api.ts";

/** OctoAI's text completions. */
export const octoaiProfile: Profile = {
  errorBody: octoaiErrorBody,
  addRoutes(app, options) {
    const { served, clients } = options;
    const created = Math.floor(Date.now() / 1000);
    const models = served
      .filter(({ listed }) => listed)
      .map(({ id }) => ({ id, object: "model", created, owned_by: "residua" }));
    app.get("/health", fixedJson({ status: "ok" }));
    app.get(
      "/openapi.json",
      fixedJson(octoaiOpenApi({ needsKey: clients.needsKey, models: served.map(({ id }) => id) })),
    );
    app.use(requireKey(clients));
    app.get("/v1/models", fixedJson({ object: "list", data: models }));
    app.post("/v1/completions", (context) => answerOctoai(context, options));
  },
};
