import type { Estimate } from "../results/estimate.ts";
import type { HeldOutMetrics } from "../results/layer-sweep.ts";
import { estimateMetric, type GroupedRows } from "../statistics/metrics/estimate-metric.ts";
import type { Metric } from "../statistics/metrics/metric.ts";
import { spearmanMetric } from "../statistics/metrics/spearman.ts";
import {
  accuracyMetric,
  balancedAccuracyMetric,
  falsePositiveRateMetric,
  recallMetric,
} from "../statistics/metrics/threshold-metrics.ts";
import { targetRates } from "./fold-calibration.ts";
import type { HeldOut } from "./held-out.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import { scoreMetric, type SweepTarget } from "./sweep-target.ts";

/** What intervals take of a sweep's settings. */
export interface DrawSettings {
  draws: number;
  seed: number;
}

/** The score of held-out rows, and the measures beside it that the labels allow, each with its interval over groups. */
export function heldOutMetrics(
  heldOut: HeldOut,
  {
    target,
    plan,
    settings,
  }: { target: SweepTarget; plan: Pick<SweepPlan, "foldOf">; settings: DrawSettings },
): { score: Estimate; metrics: HeldOutMetrics } {
  const rows = metricRows(heldOut.scores, target, plan);
  const { draws, seed } = settings;
  const of = (metric: Metric, from: GroupedRows = rows) => estimateMetric(metric, from, { draws, seed });
  const score = of(scoreMetric(target));
  if (target.task === "number") return { score, metrics: { spearman: of(spearmanMetric) } };
  return { score, metrics: target.task === "binary" ? binaryMetrics(heldOut, of) : {} };
}

/** Scores with the labels, folds and groups of their rows. */
export function metricRows(
  scores: Float64Array,
  { labels, groupOf }: Pick<SweepTarget, "labels" | "groupOf">,
  { foldOf }: Pick<SweepPlan, "foldOf">,
): GroupedRows {
  return { scores, labels, strata: foldOf, groups: groupOf };
}

function binaryMetrics({ calibrations }: HeldOut, of: (metric: Metric) => Estimate): HeldOutMetrics {
  const found = calibrations.filter((calibration) => calibration !== null);
  if (found.length < calibrations.length) return {};
  const threshold = found.map((one) => one.threshold);
  return {
    accuracy: of(accuracyMetric({ threshold })),
    balancedAccuracy: of(balancedAccuracyMetric({ threshold })),
    recall: targetRates.map((rate, k) => {
      const own = { threshold: found.map(({ rateThresholds }) => rateThresholds[k]!) };
      return { rate, recall: of(recallMetric(own)), falsePositiveRate: of(falsePositiveRateMetric(own)) };
    }),
  };
}
