import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { shuffleLabels } from "../statistics/permutation/shuffle-labels.ts";
import { createRandom } from "../statistics/random.ts";
import { sweepPlan, type SweepPlan } from "../sweep/sweep-plan.ts";
import type { SweepTarget } from "../sweep/sweep-target.ts";
import { relabelledScores, type FixedProbe } from "./relabelled-scores.ts";

/**
 * Held-out scores of the probe on labels that say nothing: shuffled within groups where they vary there, else whole groups'. Where
 * groups are few, folds are dealt anew to each shuffle, as to the real labels: in folds that were balanced for those, the shuffled classes of few
 * groups would lie by chance in one fold each, and the scores of pairs of such groups reach anything. One a shuffle (null where it could not be
 * fitted); shuffle s is the same at every layer.
 */
export async function shuffledScores(
  matrix: ProbeMatrix,
  options: { target: SweepTarget; plan: SweepPlan; fixed: FixedProbe; count: number; seed: number },
): Promise<(number | null)[]> {
  const { target, plan, count, seed } = options;
  const anew = groupsAreFew(target, plan.folds);
  const random = createRandom(seed, "shuffled labels");
  const { labels, groupOf } = target;
  const shuffles = Array.from({ length: count }, () => {
    const shuffled = shuffleLabels({ labels, groupOf, random });
    return { labels: shuffled, plan: anew ? dealtPlan(target, shuffled, { plan, seed }) : plan };
  });
  const scored = await relabelledScores(matrix, shuffles, options);
  return scored.map((one) => one?.value() ?? null);
}

/** With so many groups of the rarer class in a fold a shuffle leaves hardly any fold without one, and all shuffles share the sweep's training sets. */
const manyGroups = 5;

function groupsAreFew({ task, columns, labels, groupOf }: SweepTarget, folds: number): boolean {
  // Folds of numbers are dealt without looking at them.
  if (task === "number") return false;
  const holding = Array.from({ length: Math.max(2, columns) }, () => new Set<number>());
  groupOf.forEach((group, row) => holding[labels[row]!]!.add(group));
  return holding.some((groups) => groups.size < manyGroups * folds);
}

/** The folds that the sweep would have with these labels; null where it would refuse them, since a fold lacks a class. */
function dealtPlan(
  { task, groupOf }: SweepTarget,
  labels: Float64Array,
  { plan, seed }: { plan: SweepPlan; seed: number },
): SweepPlan | null {
  try {
    const dealt = sweepPlan({ task, labels, groupOf }, { folds: plan.folds, seed });
    // Training sets that are the same are shared by what is fitted on them.
    return dealt.foldOf.every((fold, row) => fold === plan.foldOf[row]) ? plan : dealt;
  } catch (error) {
    if (error instanceof ProbeError && error.code === "one_class") return null;
    throw error;
  }
}
