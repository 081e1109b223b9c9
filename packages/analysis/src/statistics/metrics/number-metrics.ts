import { finiteNumbers } from "../checked-arrays.ts";
import { checkRows, type Metric, type MetricRows } from "./metric.ts";
import { unitSums } from "./unit-sums.ts";

/**
 * R² = 1 − Σ(y − score)² / Σ(y − ȳ)², with ȳ of the same (weighted) rows; below 0 when the scores are worse than the mean. Undefined when
 * all labels are equal. Strata play no part: predictions of a number have its scale.
 */
export const rSquaredMetric: Metric = {
  name: "R²",
  prepare(rows) {
    const { scores, labels, checked } = numberRows(rows, "R²");
    // About the median, so that squares keep their digits where labels are far from 0, also in draws without an outlier that moves the mean.
    const center = labels.toSorted()[labels.length >> 1] ?? 0;
    const sums = unitSums({
      ...checked,
      width: 4,
      add(row, terms) {
        const label = labels[row]! - center;
        terms[0] = 1;
        terms[1] = label;
        terms[2] = label * label;
        terms[3] = (labels[row]! - scores[row]!) ** 2;
      },
    });
    const constant = labels.every((label) => label === labels[0]);
    return {
      value(weights) {
        const [n, sum, squares, residual] = sums(weights) as unknown as [number, number, number, number];
        const total = squares - (sum * sum) / n;
        // What rounding leaves of labels that are all equal is no spread.
        return n > 0 && !constant && total > 1e-12 * squares ? 1 - residual / total : null;
      },
      reason: "R² needs labels that differ",
    };
  },
};

export function numberRows(rows: MetricRows, of: string) {
  return {
    checked: checkRows(rows, of),
    scores: finiteNumbers(rows.scores, "score", of),
    labels: finiteNumbers(rows.labels as ArrayLike<number>, "label", of),
  };
}
