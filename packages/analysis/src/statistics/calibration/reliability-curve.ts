import { checkOptions } from "../../options/check-options.ts";
import type { ReliabilityCurve } from "../../results/reliability-curve.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { binaryLabels } from "../checked-arrays.ts";
import { shareInterval } from "../intervals/share-interval.ts";
import { calibrationErrorMetric, perfectError } from "../metrics/calibration-error.ts";
import {
  estimateMetric,
  estimateOptionsSchema,
  rowGroups,
  type EstimateOptions,
  type GroupedRows,
} from "../metrics/estimate-metric.ts";
import { type BinOptions, binsSchema, probabilityBins } from "../metrics/probability-bins.ts";
import { brierMetric, logLossMetric, probabilityScores } from "../metrics/probability-metrics.ts";
import { randomName } from "../random.ts";

/**
 * How often rows of each predicted probability are positive, with the calibration error, Brier score and log loss. Scores are
 * probabilities of rows that neither the probe nor its calibration was fitted on.
 */
export function reliabilityCurve(
  rows: GroupedRows,
  options: BinOptions & EstimateOptions = {},
): ReliabilityCurve {
  const { bins, binning, ...estimate } = checkOptions(curveSchema, options, "reliabilityCurve");
  const { count } = rowGroups(rows, "reliabilityCurve");
  const probabilities = probabilityScores(rows.scores, "reliabilityCurve");
  const labels = binaryLabels(rows.labels, "reliabilityCurve");
  const calibrationError = estimateMetric(calibrationErrorMetric({ bins, binning }), rows, estimate);
  const binOf = probabilityBins(probabilities, { bins, binning });
  const rowsOf: number[][] = [];
  binOf.forEach((bin, row) => (rowsOf[bin] ??= []).push(row));
  return {
    schemaVersion: resultSchemaVersion,
    kind: "reliability-curve",
    binning,
    bins: rowsOf.filter(Boolean).map((own) => {
      const inside = own.map((row) => probabilities[row]!).sort((a, b) => a - b);
      const mean = inside.reduce((sum, p) => sum + p, 0) / inside.length;
      return {
        low: inside[0]!,
        high: inside.at(-1)!,
        // Rounding may lift the mean of equal numbers above them.
        meanProbability: Math.min(inside.at(-1)!, Math.max(inside[0]!, mean)),
        positives: shareInterval({
          hits: own.map((row) => labels[row]!),
          groups: own.map((row) => rows.groups[row]),
        }),
      };
    }),
    calibrationError,
    perfectError: perfectError(probabilities, binOf),
    brier: estimateMetric(brierMetric, rows, estimate),
    logLoss: estimateMetric(logLossMetric, rows, estimate),
    n: labels.length,
    groups: count,
    ...estimate,
    random: randomName,
  };
}

const curveSchema = estimateOptionsSchema.extend(binsSchema.shape);
