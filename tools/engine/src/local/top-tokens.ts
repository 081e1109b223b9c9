import { direction as checkDirection, type Direction, SteeringError } from "@residua/lens";
import type { DirectionTokens, ScoredToken, TopTokensOptions } from "@residua/lens";
import { checkOptions, flagRule, signalRule, wholeRule } from "../check-options.ts";
import { likeliest } from "../likeliest.ts";
import type { Model } from "../model.ts";
import { takeTurn } from "./turn.ts";

/** The tokens whose unembedding a direction has most and least of. */
export async function topTokens(
  { config, tokenizer, readOut }: Model,
  given: ArrayLike<number> | Direction,
  options: TopTokensOptions,
): Promise<DirectionTokens> {
  const rules = { count: wholeRule(1, config.vocabSize), normScale: flagRule, signal: signalRule };
  const { count = 10, normScale = true, signal } = checkOptions(options, rules);
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
  const scores = project(
    readOut,
    normScale ? Float64Array.from(row, (value, i) => value * readOut.finalNorm[i]!) : row,
  );
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

/**
 * A row through the unembedding. It is brought to a largest number from 1 to 2 first, by a power of two, which rounds nothing: sums of
 * numbers near the end of float32's range would be no numbers.
 */
function project(readOut: Model["readOut"], row: Iterable<number>): Float64Array {
  let largest = 0;
  for (const value of row) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) {
    throw new SteeringError(
      "steering_zero_vector",
      "direction: all numbers are zero as float32, which is no direction",
    );
  }
  const factor = 2 ** Math.floor(Math.log2(largest));
  const scores = readOut.project(Float32Array.from(row, (value: number) => value / factor));
  return Float64Array.from(scores, (score) => score * factor);
}

function vectorOf(given: ArrayLike<number> | Direction): ArrayLike<number> {
  return "vector" in Object(given) ? (given as Direction).vector : (given as ArrayLike<number>);
}
