import { ProbeError } from "../../probes/probe-error.ts";
import { binaryLabels } from "../checked-arrays.ts";
import { checkRows, type Metric } from "./metric.ts";
import { unitSums } from "./unit-sums.ts";

/** Brier score: mean of (p − y)², where the scores are probabilities of the positive class. */
export const brierMetric: Metric = meanLoss(
  "Brier score",
  (probability, label) => (probability - label) ** 2,
);

/**
 * Log loss in nats: mean of −log p(the row's class). Probabilities are kept 2⁻⁵² away from 0 and 1, as scikit-learn does, so that one
 * wrong certainty costs 36 nats and not infinity.
 */
export const logLossMetric: Metric = meanLoss("log loss", (probability, label) => {
  const kept = Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, probability));
  return label === 1 ? -Math.log(kept) : -Math.log1p(-kept);
});

function meanLoss(name: string, loss: (probability: number, label: number) => number): Metric {
  return {
    name,
    prepare(rows) {
      const checked = checkRows(rows, name);
      const probabilities = probabilityScores(rows.scores, name);
      const labels = binaryLabels(rows.labels, name);
      const sums = unitSums({
        ...checked,
        width: 2,
        add(row, terms) {
          terms[0] = loss(probabilities[row]!, labels[row]!);
          terms[1] = 1;
        },
      });
      return {
        value(weights) {
          const [sum, n] = sums(weights) as unknown as [number, number];
          return n > 0 ? sum / n : null;
        },
        reason: `${name} has no row`,
      };
    },
  };
}

/** Throws `not_probability` with the row of the first score outside 0 … 1. */
export function probabilityScores(scores: ArrayLike<number>, of: string): Float64Array {
  const probabilities = new Float64Array(scores.length);
  for (let row = 0; row < scores.length; row++) {
    const score: unknown = scores[row];
    if (typeof score !== "number" || !(score >= 0 && score <= 1)) {
      throw new ProbeError(
        "not_probability",
        `The score of row ${row} is ${String(score)}, and ${of} takes probabilities from 0 to 1: calibrate the scores first (fitCalibration).`,
        { row },
      );
    }
    probabilities[row] = score;
  }
  return probabilities;
}
