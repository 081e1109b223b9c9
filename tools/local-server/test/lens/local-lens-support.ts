import { loadModel, type LocalLens, type Model, openLocal } from "@residua/engine";
import { type Completion, createClient } from "@residua/client";
import { type Capture, createLens, type Lens, lensProfiles } from "@residua/lens";
import { afterAll, beforeAll } from "vitest";
import { startServer } from "../../src/index.ts";

export interface Pair {
  model: Model;
  local: LocalLens;
  /** At the local server of the same model, profile acs. */
  http: Lens;
}

const { acs } = lensProfiles;
/** What the local server has beyond the hosted API, which a lens uses where its profile says so. */
const ownProfile = {
  ...acs,
  capture: { ...acs.capture, embeddings: ["residua_embeddings"] },
  interventions: { path: ["residua_interventions"], most: 8 },
};

/** One model in memory, and two ways to it. */
export function openPair(folder: string): Pair {
  const pair = {} as Pair;
  let close: () => Promise<void>;
  beforeAll(async () => {
    pair.model = await loadModel(folder);
    pair.local = await openLocal(pair.model, { modelId: "tiny" });
    const server = await startServer({ model: pair.model, modelId: "tiny" });
    const client = createClient({
      baseURL: server.url,
      extraFields: ["residua_embeddings", "residua_interventions"],
    });
    pair.http = createLens(client, { profile: ownProfile });
    close = async () => {
      await client.close();
      await server.close();
      await pair.model.dispose();
    };
  }, 120_000);
  afterAll(() => close());
  return pair;
}

/** A capture without what two requests never have in common, and without the ids that the hosted API does not tell. */
export function comparable(capture: Capture) {
  const { layers, positions, hiddenSize, dtype, tokens, prompt, model, bosTokenId } = capture;
  return {
    ...{ layers, positions, hiddenSize, dtype, prompt, model, bosTokenId },
    tokens: tokens.map(({ text, role }) => ({ text, role })),
    checks: capture.checks.map(({ code, status }) => `${code} ${status}`),
    bits: layers.map((layer) => Array.from(capture.view(layer))),
    completion: comparableCompletion(capture.completion),
  };
}

export function comparableCompletion({ id: _id, created: _created, choices, ...completion }: Completion) {
  return {
    ...completion,
    choices: choices.map(({ prompt_token_ids: _prompt, token_ids: _tokens, ...choice }) => choice),
  };
}

/** The code and the words of an error, without the id of its request. */
export async function errorOf(asked: Promise<unknown>): Promise<string> {
  const error = (await asked.then(
    () => ({ code: "none", message: "it was answered" }),
    (thrown: unknown) => thrown,
  )) as { code: string; message: string };
  return `${error.code} ${error.message.replace(/ \(request \w+\)/, "")}`;
}
