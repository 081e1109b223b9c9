import type { Context } from "hono";
import type { AppEnv } from "../app-options.ts";
import type { Profile } from "../profile.ts";
import { requireKey } from "../require-key.ts";
import { sendJson } from "../send-json.ts";
import { answerChat } from "./answer-chat.ts";
import { answerCompletion } from "./answer-completion.ts";
import { vllmVersion } from "./answer-parts.ts";
import { addHookRoutes } from "./hook-routes.ts";
import { modelCards } from "./model-cards.ts";
import { vllmOpenApi } from "./open-api.ts";
import { answerActivations } from "./answer-activations.ts";
import { adderTo, refuseOtherMethods } from "./route-methods.ts";
import { answerDetokenize, answerTokenize } from "./tokenize.ts";
import { vllmErrorBody } from "./vllm-error.ts";
import { vllmState } from "./vllm-state.ts";

/** vLLM with the vllm-lens plugin. */
export const vllmProfile: Profile = {
  errorBody: vllmErrorBody,
  addRoutes(app, options) {
    const { served, clients } = options;
    const model = served[0]!;
    const state = vllmState();
    const json = (body: () => object) => (context: Context<AppEnv>) =>
      sendJson(context, JSON.stringify(body()));
    const empty = (context: Context<AppEnv>) => context.body(null, 200);
    // Only what is under /v1 asks for a key, as vLLM has it; the routes there that do not exist too.
    app.use("/v1/*", requireKey(clients));
    const add = adderTo(app);
    add("GET", "/health", empty);
    add("GET", "/ping", empty);
    add("POST", "/ping", empty);
    add(
      "GET",
      "/version",
      json(() => ({ version: vllmVersion })),
    );
    add(
      "GET",
      "/load",
      json(() => ({ server_load: model.model.stats().active })),
    );
    add("GET", "/metrics", (context) =>
      context.body(state.metrics.text(model), 200, {
        "content-type": "text/plain; version=1.0.0; charset=utf-8",
      }),
    );
    add("GET", "/openapi.json", json(vllmOpenApi));
    add("POST", "/tokenize", (context) => answerTokenize(context, options));
    add("POST", "/detokenize", (context) => answerDetokenize(context, options));
    add(
      "GET",
      "/v1/models",
      json(() => modelCards(model)),
    );
    add("POST", "/v1/completions", (context) => answerCompletion(context, options, state));
    add("POST", "/v1/chat/completions", (context) => answerChat(context, options, state));
    add("GET", "/v1/activations/:handle", (context) => answerActivations(context, state));
    addHookRoutes(add);
    refuseOtherMethods(app);
  },
};
