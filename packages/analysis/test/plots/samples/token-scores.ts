import type { TokenScores } from "../../../src/results/token-scores.ts";

const texts = [
  "<s>",
  "The",
  " city",
  " of",
  " Paris",
  " is",
  " in",
  " Europe",
  ".",
  "\n",
  "Verdict",
  ":",
  " true",
  "\t!",
  "",
];

export function sampleTokenScores(layers = 6, tokens: readonly (string | null)[] = texts): TokenScores {
  return {
    schemaVersion: 1,
    kind: "token-scores",
    model: "residua/tiny",
    score: "logit of the truth probe of each layer",
    above: "true",
    below: "false",
    tokens: tokens.map((text, position) => ({
      position,
      id: text === null ? null : 100 + position,
      text,
      role: position >= tokens.length - 3 ? "generated" : "prompt",
    })),
    layers: Array.from({ length: layers }, (_, layer) => ({
      layer,
      threshold: layer / 10,
      scores: tokens.map((_, position) =>
        position === tokens.length - 1
          ? null
          : Math.round(
              1e3 * ((position / tokens.length - 0.5) * (layer + 1) + Math.sin(7 * position + layer)),
            ) / 1e3,
      ),
    })),
  };
}

/** A long prompt in a deep model, in several scripts. */
export const deepTokenScores = (): TokenScores =>
  sampleTokenScores(
    126,
    Array.from(
      { length: 200 },
      (_, index) => ["城市", " ש", "👩‍🚀", " word", null, " antidisestablishmentarianism"][index % 6] ?? null,
    ),
  );
