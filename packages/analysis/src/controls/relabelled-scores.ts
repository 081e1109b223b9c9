import type { Probe, ProbeFit } from "../probes/probe.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import { fitColumns, heldOutScores } from "../sweep/sweep-candidates.ts";
import type { SweepPlan } from "../sweep/sweep-plan.ts";
import { holdsAll, scoreMetric, type SweepTarget } from "../sweep/sweep-target.ts";
import type { PreparedMetric } from "../statistics/metrics/metric.ts";

/** A probe at one C. */
export interface FixedProbe {
  probe: Probe;
  C?: number;
}

/**
 * A probe at one C fitted and scored as the real one, on other labels of the same rows: for each labelling its held-out
 * score, prepared for redrawn groups. Null where a training set has one class only, or a fit did not converge.
 */
export async function relabelledScores(
  matrix: ProbeMatrix,
  labellings: readonly Float64Array[],
  { target, plan, fixed }: { target: SweepTarget; plan: SweepPlan; fixed: FixedProbe },
): Promise<(PreparedMetric | null)[]> {
  const usable = labellings.map((labels) =>
    plan.outer.every(({ included }) => holdsAll(target, labels, included)),
  );
  const columns = labellings.flatMap((labels, k) =>
    usable[k] ? fitColumns(target, labels, plan.outer) : [],
  );
  if (columns.length === 0) return usable.map(() => null);
  const fits = await fixed.probe.fitAt(matrix, columns, fixed.C);
  const metric = scoreMetric(target);
  const each = target.columns * plan.folds;
  let at = 0;
  return labellings.map((labels, k) => {
    if (!usable[k]) return null;
    const own = fits.slice(at, (at += each));
    if (!own.every((fit) => fit.converged)) return null;
    const scores = heldOutScores(plan, target.columns, (c, fold): ProbeFit => own[c * plan.folds + fold]!);
    return metric.prepare({ scores, labels, strata: plan.foldOf, unit: target.groupOf });
  });
}
