import type { Estimate } from "../results/estimate.ts";
import type { HeldOutMetrics } from "../results/layer-sweep.ts";
import { calibrationErrorMetric } from "../statistics/metrics/calibration-error.ts";
import { classAccuracyMetric } from "../statistics/metrics/class-accuracy.ts";
import {
  estimateMetric,
  type EstimateOptions,
  type GroupedRows,
} from "../statistics/metrics/estimate-metric.ts";
import { brierMetric, logLossMetric } from "../statistics/metrics/probability-metrics.ts";
import { spearmanMetric } from "../statistics/metrics/spearman.ts";
import { accuracyMetric, balancedAccuracyMetric } from "../statistics/metrics/threshold-metrics.ts";
import { recallAtFpr } from "../statistics/thresholds/recall-at-fpr.ts";
import { targetRates } from "./fold-calibration.ts";
import { probabilitiesOf, type HeldOut } from "./held-out.ts";
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
  context: { target: SweepTarget; plan: Pick<SweepPlan, "foldOf">; settings: DrawSettings },
): { score: Estimate; metrics: HeldOutMetrics } {
  const { target, plan, settings } = context;
  const rows = metricRows(heldOut.scores, target, plan);
  const draws: EstimateOptions = { draws: settings.draws, seed: settings.seed };
  const score = estimateMetric(scoreMetric(target), rows, draws);
  if (target.task === "number")
    return { score, metrics: { spearman: estimateMetric(spearmanMetric, rows, draws) } };
  const probabilities = probabilitiesOf(heldOut, plan, target);
  if (probabilities === null) return { score, metrics: {} };
  const metrics =
    target.task === "binary"
      ? binaryMetrics(heldOut, { rows, probabilities, draws })
      : classMetrics({ rows, probabilities, draws, classes: target.columns });
  return { score, metrics };
}

/** Scores with the labels, folds and groups of their rows. */
export function metricRows(
  scores: Float64Array,
  { labels, groupOf }: Pick<SweepTarget, "labels" | "groupOf">,
  { foldOf }: Pick<SweepPlan, "foldOf">,
): GroupedRows {
  return { scores, labels, strata: foldOf, groups: groupOf };
}

/** Rows with the probabilities of their scores. */
interface Calibrated {
  rows: GroupedRows;
  probabilities: Float64Array;
  draws: EstimateOptions;
}

function binaryMetrics(
  { calibrations }: HeldOut,
  { rows, probabilities, draws }: Calibrated,
): HeldOutMetrics {
  const threshold = calibrations.map((one) => one!.threshold!);
  const likely = { ...rows, scores: probabilities };
  return {
    accuracy: estimateMetric(accuracyMetric({ threshold }), rows, draws),
    balancedAccuracy: estimateMetric(balancedAccuracyMetric({ threshold }), rows, draws),
    recall: targetRates.map((rate, k) =>
      recallAtFpr(rows, { rate, threshold: calibrations.map((one) => one!.rateThresholds[k]!), ...draws }),
    ),
    brier: estimateMetric(brierMetric, likely, draws),
    ece: estimateMetric(calibrationErrorMetric(), likely, draws),
    logLoss: estimateMetric(logLossMetric, likely, draws),
  };
}

function classMetrics({
  rows,
  probabilities,
  draws,
  classes,
}: Calibrated & { classes: number }): HeldOutMetrics {
  const likely = { ...rows, scores: probabilities };
  // −log p(the row's class) is the log loss of a row that is positive with that probability.
  const own = Float64Array.from(
    rows.labels as ArrayLike<number>,
    (label, row) => probabilities[row * classes + label]!,
  );
  const certain = { ...rows, scores: own, labels: new Uint8Array(own.length).fill(1) };
  return {
    accuracy: estimateMetric(classAccuracyMetric({ classes }), likely, draws),
    balancedAccuracy: estimateMetric(classAccuracyMetric({ classes, balanced: true }), likely, draws),
    logLoss: estimateMetric(logLossMetric, certain, draws),
  };
}
