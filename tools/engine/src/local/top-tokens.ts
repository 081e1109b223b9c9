import { direction as checkDirection, type Direction, SteeringError } from "@residua/lens";
import type { DirectionTokens, ScoredToken, TopTokensOptions } from "@residua/lens";
import { likeliest } from "../likeliest.ts";
import type { Model } from "../model.ts";
import { optionError } from "./option-error.ts";
import { takeTurn } from "./turn.ts";

/** The tokens whose unembedding a direction has most and least of. */
export async function topTokens(
  { config, tokenizer, readOut }: Model,
  given: ArrayLike<number> | Direction,
  { count = 10, normScale = true, signal }: TopTokensOptions,
): Promise<DirectionTokens> {
  if (!Number.isInteger(count) || count < 1 || count > config.vocabSize)
    throw optionError("count", count, `a whole number from 1 to ${config.vocabSize}`);
  // Checked and copied as a direction of steering is.
  const row = checkDirection({ layer: 0, vector: vectorOf(given), method: "given" }).vector;
  if (row.length !== config.hiddenSize) {
    throw new SteeringError(
      "steering_width",
      `the direction has ${row.length} numbers, and the model's hidden size is ${config.hiddenSize}`,
      { width: row.length, hiddenSize: config.hiddenSize },
    );
  }
  await takeTurn(signal);
  if (normScale) for (let i = 0; i < row.length; i++) row[i]! *= readOut.finalNorm[i]!;
  const scores = readOut.project(row);
  const named = (ids: Iterable<number>): ScoredToken[] =>
    Array.from(ids, (id) => ({ id, text: tokenizer.decode([id]), score: scores[id]! }));
  return {
    top: named(likeliest(scores, count)),
    bottom: named(
      likeliest(
        scores.map((score) => -score),
        count,
      ),
    ),
  };
}

function vectorOf(given: ArrayLike<number> | Direction): ArrayLike<number> {
  return "vector" in Object(given) ? (given as Direction).vector : (given as ArrayLike<number>);
}
