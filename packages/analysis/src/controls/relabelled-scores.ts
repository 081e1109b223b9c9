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

/** Other labels of the rows, and the folds in which they are learned and scored; null where there are none. */
export interface Labelling {
  labels: Float64Array;
  plan: SweepPlan | null;
}

/**
 * A probe at one C fitted and scored as the real one, on other labels of the same rows: for each labelling its held-out
 * score, prepared for redrawn groups. Null where a training set has one class only, or a fit did not converge.
 */
export async function relabelledScores(
  matrix: ProbeMatrix,
  labellings: readonly Labelling[],
  { target, fixed }: { target: SweepTarget; fixed: FixedProbe },
): Promise<(PreparedMetric | null)[]> {
  const usable = labellings.map(({ labels, plan }) =>
    plan?.outer.every(({ included }) => holdsAll(target, labels, included)) ? { labels, plan } : null,
  );
  const columns = usable.flatMap((own) => (own ? fitColumns(target, own.labels, own.plan.outer) : []));
  if (columns.length === 0) return usable.map(() => null);
  const fits = await fixed.probe.fitAt(matrix, columns, fixed.C);
  const metric = scoreMetric(target);
  let at = 0;
  return usable.map((one) => {
    if (!one) return null;
    const { labels, plan } = one;
    const own = fits.slice(at, (at += target.columns * plan.folds));
    if (!own.every((fit) => fit.converged)) return null;
    const scores = heldOutScores(plan, target.columns, (c, fold): ProbeFit => own[c * plan.folds + fold]!);
    return metric.prepare({ scores, labels, strata: plan.foldOf, unit: target.groupOf });
  });
}
