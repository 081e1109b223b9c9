import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import type { TokenScores } from "../results/token-scores.ts";
import { checkResult } from "./check-result.ts";
import { wholeTokenScores } from "./token-heat-map.ts";
import { tokenStrip, type TokenStrip } from "./token-strip.ts";

export interface TokenScoresStripOptions {
  /** One of the scored layers; the last by default. */
  layer?: number;
  /** Distance from the threshold that gets the full colour; by default the largest one here. Fix it to compare strips. */
  extent?: number;
  /** Tokens beyond are counted, not shown. */
  maxTokens?: number;
}

/**
 * A strip of the tokens of scored captures, coloured by the scores of one layer around its threshold. Throws InvalidRequestError for a
 * document that is no token scores, or for a layer that it has not.
 */
export function tokenScoresStrip(scores: TokenScores, options: TokenScoresStripOptions = {}): TokenStrip {
  const given = checkResult(wholeTokenScores, scores, "tokenScoresStrip");
  const layers = given.layers.map(({ layer }) => layer);
  const { layer, ...rest } = checkOptions(
    z.strictObject({
      layer: z
        .number()
        .refine((asked) => layers.includes(asked), `one of the scored layers: ${layers.join(", ")}`)
        .default(layers.at(-1) ?? 0),
      extent: z.number().positive().optional(),
      maxTokens: z.int().min(1).optional(),
    }),
    options,
    "tokenScoresStrip",
  );
  const row = given.layers.find((entry) => entry.layer === layer);
  return tokenStrip({
    tokens: given.tokens,
    scores: row?.scores ?? [],
    threshold: row?.threshold ?? 0,
    label: `${given.score}, layer ${layer}`,
    ...(given.above === null ? {} : { above: given.above }),
    ...(given.below === null ? {} : { below: given.below }),
    ...(rest.extent === undefined ? {} : { extent: rest.extent }),
    ...(rest.maxTokens === undefined ? {} : { maxTokens: rest.maxTokens }),
  });
}
