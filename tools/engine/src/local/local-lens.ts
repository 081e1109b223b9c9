import { createClient, ResiduaError, type Tokenizer as ClientTokenizer } from "@residua/client";
import { createLens, type Hooks, type Lens } from "@residua/lens";
import { serveModel } from "../api/served-model.ts";
import { tokenNames } from "../api/token-name.ts";
import { contextAt } from "../api/wire-logprobs.ts";
import { initZstd } from "../api/zstd.ts";
import type { Model } from "../model.ts";
import { encodeLocalChat } from "./encode-local-chat.ts";
import { inProcessServer } from "./in-process-server.ts";
import { localAbilities } from "./local-abilities.ts";
import { localProfile, ownFields } from "./local-profile.ts";

/** A lens on a model in this process. */
export async function localLens(model: Model, id: string, checkpoint: string): Promise<Lens> {
  await initZstd();
  const served = serveModel(model, id, checkpoint)[0]!;
  const client = createClient({
    server: inProcessServer(served),
    tokenizer: clientTokenizer(model),
    extraFields: ownFields,
  });
  const lens = createLens(client, { profile: localProfile });
  return Object.freeze<Lens>({
    ...lens,
    local: localAbilities(model, { id, checkpoint }),
    hooks: noHooks,
    encodeChat: (request, options) => encodeLocalChat(model, id, request, options),
  });
}

function clientTokenizer({ config, tokenizer }: Model): ClientTokenizer {
  const name = tokenNames(tokenizer);
  return {
    vocabSize: config.vocabSize,
    encode: (text, { addSpecialTokens }) => tokenizer.encode(text, { addSpecialTokens }),
    texts: (tokens) => tokens.map((token, i) => name(token, contextAt(tokens, i))),
  };
}

const refuseHooks = (method: keyof Hooks) => () =>
  Promise.reject(
    new ResiduaError(
      "not_available",
      `lens.hooks.${method}: hooks are Python functions that a vLLM server runs, and this lens has a model in this process: ` +
        "steering and interventions change its stream, and a server with vllm-lens 1.2 or later runs hooks",
      { ability: `hooks.${method}` },
    ),
  );

const noHooks = Object.freeze<Hooks>({
  register: refuseHooks("register"),
  collect: refuseHooks("collect"),
  clear: refuseHooks("clear"),
  clearResults: refuseHooks("clearResults"),
});
