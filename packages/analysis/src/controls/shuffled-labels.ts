import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import { shuffleLabels } from "../statistics/permutation/shuffle-labels.ts";
import { createRandom } from "../statistics/random.ts";
import type { SweepPlan } from "../sweep/sweep-plan.ts";
import type { SweepTarget } from "../sweep/sweep-target.ts";
import { relabelledScores, type FixedProbe } from "./relabelled-scores.ts";

/**
 * Held-out scores of the probe on labels that say nothing: shuffled within groups where they vary there, else whole groups'. One a
 * shuffle (null where it could not be fitted); shuffle s is the same at every layer.
 */
export async function shuffledScores(
  matrix: ProbeMatrix,
  options: { target: SweepTarget; plan: SweepPlan; fixed: FixedProbe; count: number; seed: number },
): Promise<(number | null)[]> {
  const { target, count, seed } = options;
  const random = createRandom(seed, "shuffled labels");
  const { labels, groupOf } = target;
  const shuffles = Array.from({ length: count }, () => shuffleLabels({ labels, groupOf, random }));
  const scored = await relabelledScores(matrix, shuffles, options);
  return scored.map((one) => one?.value() ?? null);
}
