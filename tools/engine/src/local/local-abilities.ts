import type { LocalAbilities, OneToken } from "@residua/lens";
import { checkOptions, signalRule } from "../check-options.ts";
import type { Model } from "../model.ts";
import { logitLens } from "./logit-lens.ts";
import { optionError } from "../option-error.ts";
import { topTokens } from "./top-tokens.ts";
import { takeTurn } from "./turn.ts";

const lensOptionRules = { signal: signalRule };

/** What the weights of a model in this process tell; `id` and `checkpoint` are what its captures call it. */
export function localAbilities(
  model: Model,
  names: { readonly id: string; readonly checkpoint: string },
): LocalAbilities {
  const { readOut } = model;
  return Object.freeze<LocalAbilities>({
    logitLens: (of, options = {}) => logitLens(model, names, of, options),
    topTokens: (direction, options = {}) => topTokens(model, direction, options),
    async unembedding(token, options = {}) {
      await takeTurn(checkOptions(options, lensOptionRules).signal);
      return readOut.unembedding(tokenId(model, token));
    },
    async embedding(token, options = {}) {
      await takeTurn(checkOptions(options, lensOptionRules).signal);
      return readOut.embedding(tokenId(model, token));
    },
  });
}

/** Throws `invalid_option`. */
function tokenId({ config, tokenizer }: Model, token: OneToken): number {
  if (typeof token === "string") {
    const ids = tokenizer.encode(token, { addSpecialTokens: false });
    if (ids.length === 1) return ids[0]!;
    throw optionError("token", token, `a text that is one token; this one is ${ids.length}`);
  }
  if (Number.isInteger(token) && token >= 0 && token < config.vocabSize) return token;
  throw optionError("token", token, `a token id from 0 to ${config.vocabSize - 1}, or a text of one token`);
}
