import type { SweepPermutation } from "../results/layer-sweep.ts";
import { permutationP } from "../statistics/permutation/permutation-p.ts";

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
  const { p, shuffles, reason } = permutationP({ observed: score, shuffled: own });
  const correctedP = p === null ? null : permutationP({ observed: score, shuffled: largest }).p;
  return { p, correctedP, shuffles, ...(reason === undefined ? {} : { reason }) };
}
