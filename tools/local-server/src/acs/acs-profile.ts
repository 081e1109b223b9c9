import { ApiError, errorBody, findModel, modelList, modelStatus } from "@residua/engine/api";
import { fixedJson } from "../fixed-json.ts";
import type { Profile } from "../profile.ts";
import { requireKey } from "../require-key.ts";
import { sendJson } from "../send-json.ts";
import { answerCompletion } from "./answer-completion.ts";
import { addJobRoutes } from "./answer-jobs.ts";
import { openApi } from "./open-api.ts";

/** The hosted base-model API. */
export const acsProfile: Profile = {
  errorBody,
  addRoutes(app, options) {
    const { served, clients } = options;
    app.get("/health", fixedJson({ status: "ok" }));
    app.get("/v1/health", fixedJson({ status: "ok" }));
    app.get(
      "/openapi.json",
      fixedJson(openApi({ needsKey: clients.needsKey, models: served.map(({ id }) => id) })),
    );
    app.use(requireKey(clients));
    app.get("/v1/models", fixedJson(modelList(served)));
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
  },
};
