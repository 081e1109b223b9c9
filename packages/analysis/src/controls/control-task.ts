import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import type { Estimate } from "../results/estimate.ts";
import { createRandom } from "../statistics/random.ts";
import type { DrawSettings } from "../sweep/held-out-metrics.ts";
import { pairedGain } from "../sweep/paired-gain.ts";
import type { SweepPlan } from "../sweep/sweep-plan.ts";
import { scoreMetric, type SweepTarget } from "../sweep/sweep-target.ts";
import { absent, drawSummary } from "./draw-summary.ts";
import { relabelledScores, type FixedProbe } from "./relabelled-scores.ts";

/** Labellings of the control task: their mean stands against the score. */
const labellings = 5;

/** Of each row the kind of its token (a number); or why there is none. */
export type TokenKinds = { kindOf: Uint32Array; kinds: number } | { reason: string };

/**
 * The control task of Hewitt and Liang (2019, arXiv 1909.03368): every kind of token is given the label of a random row, so that the labels can only be
 * learned by heart, kind by kind. Selectivity = score − control task, with an interval over groups.
 */
export async function controlTask(
  matrix: ProbeMatrix,
  scores: Float64Array,
  options: {
    target: SweepTarget;
    plan: SweepPlan;
    fixed: FixedProbe;
    kinds: TokenKinds;
    settings: DrawSettings;
  },
): Promise<{ controlTask: Estimate; selectivity: Estimate }> {
  const { target, plan, kinds, settings } = options;
  if ("reason" in kinds) return { controlTask: absent(kinds.reason), selectivity: absent(kinds.reason) };
  const random = createRandom(settings.seed, "control task");
  const given = Array.from({ length: labellings }, () => {
    const labelOf = Array.from(
      { length: kinds.kinds },
      () => target.labels[random.below(target.labels.length)]!,
    );
    return Float64Array.from(kinds.kindOf, (kind) => labelOf[kind]!);
  });
  const control = await relabelledScores(
    matrix,
    given.map((labels) => ({ labels, plan })),
    options,
  );
  const reason = "no random labelling of the tokens left both classes in every training set";
  const usable = control.filter((one) => one !== null).filter((one) => one.value() !== null);
  const summary = drawSummary(
    control.map((one) => one?.value() ?? null),
    reason,
  );
  if (usable.length === 0) return { controlTask: summary, selectivity: absent(reason) };
  const task = scoreMetric(target).prepare({
    scores,
    labels: target.labels,
    strata: plan.foldOf,
    unit: target.groupOf,
  });
  const { groups } = target;
  const selectivity = pairedGain(task, usable, { n: target.labels.length, groups, settings });
  return { controlTask: summary, selectivity };
}
