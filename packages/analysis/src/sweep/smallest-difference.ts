import { groupJackknife } from "../statistics/intervals/group-jackknife.ts";
import { smallestDetectableDifference } from "../statistics/intervals/smallest-detectable.ts";
import { scoreMetric, type SweepTarget } from "./sweep-target.ts";
import type { SweepPlan } from "./sweep-plan.ts";

/**
 * The least difference of two scores of other rows, both as uncertain as this one (√2 times its standard error, by the jackknife over groups), that a
 * two-sided test at 5 % finds with 80 % power.
 */
export function smallestDifference(
  scores: Float64Array,
  { target, plan }: { target: SweepTarget; plan: Pick<SweepPlan, "foldOf"> },
): { value: number | null; reason?: string } {
  const { labels, groupOf, groups } = target;
  const prepared = scoreMetric(target).prepare({ scores, labels, strata: plan.foldOf, unit: groupOf });
  const spread = groupJackknife(groups, (drawn) => prepared.value(drawn));
  if (spread === null)
    return { value: null, reason: "no group changes the score, or it is undefined without one" };
  const standardError = Math.SQRT2 * spread.standardError;
  return { value: smallestDetectableDifference({ standardError, groups }) };
}
