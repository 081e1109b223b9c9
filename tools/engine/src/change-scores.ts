import { penalise, type PenaltyOptions, type TokenHistory } from "./penalties.ts";

/** What is done to the scores of a position before a token is drawn. */
export interface ScoreChanges {
  /** Added to the scores of these tokens. */
  readonly logitBias: ReadonlyMap<number, number>;
  readonly penalties: PenaltyOptions;
  /** Tokens that may not be drawn here. */
  readonly barred: ReadonlySet<number>;
  /** The only tokens that may be drawn; null for all. */
  readonly allowed: ReadonlySet<number> | null;
}

/**
 * Scores [vocabSize] as tokens are drawn from them: bias, then penalties, −∞ for what may not be drawn. This is
 * vLLM's order (vllm/v1/sample/sampler.py, 0.30.0: allowed ids, min_tokens, logit_bias, penalties); what it bars it
 * bars first, which comes to the same, since −∞ stays so. The caller's scores stay as they are.
 */
export function changeScores(
  scores: Float32Array,
  { logitBias, penalties, barred, allowed }: ScoreChanges,
  history: TokenHistory,
): Float32Array | Float64Array {
  let changed: Float32Array | Float64Array = scores;
  const own = () => {
    if (changed === scores) changed = new Float64Array(scores);
    return changed;
  };
  for (const [token, bias] of logitBias) own()[token]! += bias;
  changed = penalise(changed, penalties, history);
  for (const token of barred) own()[token] = -Infinity;
  if (allowed !== null) {
    const kept = own();
    for (let token = 0; token < kept.length; token++) if (!allowed.has(token)) kept[token] = -Infinity;
  }
  return changed;
}
