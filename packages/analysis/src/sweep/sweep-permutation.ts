import type { SweepPermutation } from "../results/layer-sweep.ts";

/**
 * The largest score of each shuffle over all layers (the maximum statistic of Westfall and Young): shuffle s deals the same labels at every
 * layer, so that layers that are alike do not count twice. Null where no layer has the shuffle.
 */
export function largestOfLayers(shuffled: readonly (readonly (number | null)[])[]): (number | null)[] {
  const shuffles = Math.max(0, ...shuffled.map((scores) => scores.length));
  return Array.from({ length: shuffles }, (_, s) =>
    shuffled.reduce<number | null>((largest, scores) => {
      const score = scores[s] ?? null;
      return score === null || (largest !== null && largest >= score) ? largest : score;
    }, null),
  );
}

/** p of a score against its own shuffles, and against the largest of all layers. */
export function layerPermutation(
  score: number | null,
  own: readonly (number | null)[],
  largest: readonly (number | null)[],
): SweepPermutation {
  const defined = own.filter((value) => value !== null);
  if (score === null || defined.length === 0) {
    const reason = score === null ? "the score is not defined" : "no shuffle was fitted";
    return { p: null, correctedP: null, shuffles: defined.length, reason };
  }
  return {
    p: shareAbove(score, defined),
    correctedP: shareAbove(
      score,
      largest.filter((value) => value !== null),
    ),
    shuffles: defined.length,
  };
}

/** (1 + draws that are at least as high) / (1 + draws): the labels as they are count as one of the shuffles, so that p is never 0. */
function shareAbove(score: number, draws: readonly number[]): number {
  return (1 + draws.filter((draw) => draw >= score).length) / (1 + draws.length);
}
