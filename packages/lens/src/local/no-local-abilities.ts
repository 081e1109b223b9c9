import { ResiduaError } from "@residua/client";
import type { LensProfile } from "../profiles/lens-profile.ts";
import type { LocalAbilities } from "./local-abilities.ts";

/** What else there is, ability by ability. */
const instead: Readonly<Record<keyof LocalAbilities, string>> = {
  logitLens: "open the model's folder with openLocal of @residua/engine",
  topTokens:
    "open the model's folder with openLocal of @residua/engine, or read rows of its unembedding with openUnembedding",
  unembedding:
    "openUnembedding(folder) of @residua/lens reads it from the model's folder, and openLocal of @residua/engine",
  embedding: "open the model's folder with openLocal of @residua/engine",
};

/** Of a lens that reads a server: each method rejects with `not_available`. */
export function noLocalAbilities({ name }: LensProfile): LocalAbilities {
  const refuse = (ability: keyof LocalAbilities) => () =>
    Promise.reject(
      new ResiduaError(
        "not_available",
        `lens.local.${ability} needs the weights of the model, and this lens reads a server of the profile ${name}: ${instead[ability]}`,
        { ability, profile: name },
      ),
    );
  return Object.freeze<LocalAbilities>({
    logitLens: refuse("logitLens"),
    topTokens: refuse("topTokens"),
    unembedding: refuse("unembedding"),
    embedding: refuse("embedding"),
  });
}
