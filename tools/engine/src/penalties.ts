export interface PenaltyOptions {
  /** Divides the score of a token in the prompt or the output, or multiplies a negative one; above 0, 1 for none. */
  readonly repetitionPenalty: number;
  /** Taken from the score of a token that is in the output; 0 for none. */
  readonly presencePenalty: number;
  /** Taken from the score of a token for each time that it is in the output; 0 for none. */
  readonly frequencyPenalty: number;
}

/** The tokens that penalties speak of. */
export interface TokenHistory {
  readonly prompt: ReadonlySet<number>;
  /** How often each token was generated. */
  readonly generated: ReadonlyMap<number, number>;
}

/**
 * Scores [vocabSize] after the penalties, in vLLM's order: repetition first, then frequency and presence.
 * Always finite; the very same array when no penalty applies.
 */
export function penalise(
  scores: Float32Array | Float64Array,
  { repetitionPenalty, presencePenalty, frequencyPenalty }: PenaltyOptions,
  { prompt, generated }: TokenHistory,
): Float32Array | Float64Array {
  if (repetitionPenalty === 1 && presencePenalty === 0 && frequencyPenalty === 0) return scores;
  const penalised = new Float64Array(scores);
  const repeat = (token: number) => {
    const score = penalised[token]!;
    penalised[token] = finite(score > 0 ? score / repetitionPenalty : score * repetitionPenalty);
  };
  if (repetitionPenalty !== 1) {
    prompt.forEach(repeat);
    for (const token of generated.keys()) if (!prompt.has(token)) repeat(token);
  }
  for (const [token, count] of generated) {
    penalised[token] = finite(penalised[token]! - frequencyPenalty * count - presencePenalty);
  }
  return penalised;
}

/** A repetition penalty has no upper bound; what overflows stays the highest or lowest there is. */
function finite(score: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, score));
}
