import { checkOptions } from "../../options/check-options.ts";
import { binaryLabels } from "../checked-arrays.ts";
import { checkRows, type Metric } from "./metric.ts";
import { type BinOptions, binsSchema, probabilityBins } from "./probability-bins.ts";
import { probabilityScores } from "./probability-metrics.ts";
import { unitSums } from "./unit-sums.ts";

/**
 * Expected calibration error: Σ over bins of |Σ (p − y)| / n, where scores are probabilities. It is above 0 even for a perfectly
 * calibrated score, since a bin's few rows never hit their mean: compare it with `perfectError`. The bins are those of all rows, also for
 * redrawn groups.
 */
export function calibrationErrorMetric(options: BinOptions = {}): Metric {
  const checked = checkOptions(binsSchema, options, "calibrationErrorMetric");
  const name = "expected calibration error";
  return {
    name,
    prepare(rows) {
      const shape = checkRows(rows, name);
      const probabilities = probabilityScores(rows.scores, name);
      const labels = binaryLabels(rows.labels, name);
      const binOf = probabilityBins(probabilities, checked);
      const { bins } = checked;
      const sums = unitSums({
        ...shape,
        width: bins + 1,
        add(row, terms) {
          terms[binOf[row]!] = probabilities[row]! - labels[row]!;
          terms[bins] = 1;
        },
      });
      return {
        value(weights) {
          const totals = sums(weights);
          const n = totals[bins]!;
          let error = 0;
          for (let bin = 0; bin < bins; bin++) error += Math.abs(totals[bin]!);
          return n > 0 ? error / n : null;
        },
        reason: `${name} has no row`,
      };
    },
  };
}

/**
 * What the calibration error of these probabilities comes to on average if they are perfectly right and rows independent:
 * √(2/π) · Σ over bins √(Σ p(1 − p)) / n, the mean of |N(0, σ²)| of each bin.
 */
export function perfectError(probabilities: Float64Array, binOf: Uint32Array): number | null {
  const variances: number[] = [];
  probabilities.forEach((p, row) => {
    const bin = binOf[row]!;
    variances[bin] = (variances[bin] ?? 0) + p * (1 - p);
  });
  if (probabilities.length === 0) return null;
  const deviations = variances.reduce((sum, variance) => sum + Math.sqrt(variance), 0);
  return (Math.sqrt(2 / Math.PI) * deviations) / probabilities.length;
}
