import type { Estimate } from "../../results/estimate.ts";
import type { NeutralShift } from "../../results/steering-measures.ts";
import { bootstrapMean } from "../../statistics/intervals/bootstrap-mean.ts";
import { createRandom } from "../../statistics/random.ts";
import type { NeutralMove } from "./neutral-text.ts";
import type { TextLogProbability } from "./perplexity.ts";

/** Means over all tokens of all neutral texts; null when only their perplexity was read. */
export function neutralShift(
  { draws, seed }: { draws: number; seed: number },
  texts: readonly (TextLogProbability & Partial<NeutralMove>)[],
): NeutralShift | null {
  const moves = texts.filter((text): text is NeutralMove => text.kl !== undefined);
  if (moves.length === 0) return null;
  const overTokens = (of: (move: NeutralMove) => readonly number[]): Estimate =>
    bootstrapMean({
      values: moves.flatMap(of),
      groupOf: moves.flatMap((move, text) => of(move).map(() => text)),
      groups: moves.length,
      draws,
      random: createRandom(seed, "neutral bootstrap"),
      absent: "the neutral texts have no second token",
    });
  const whole = moves.every((move) => move.whole);
  return {
    kl: overTokens(({ kl }) => kl),
    reverseKl: overTokens(({ reverseKl }) => reverseKl),
    entropyChange: overTokens(({ entropyChange }) => entropyChange),
    over: whole ? "the whole vocabulary" : "the likeliest tokens and one rest",
    lowerBound: !whole,
  };
}
