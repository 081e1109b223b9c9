import type { ProbeColumn } from "../probe.ts";
import type { RowLoss, ScoreColumns } from "./row-loss.ts";

/** Loss of a margin (score times ±1), with its first two derivatives by the margin. */
export interface MarginLoss {
  loss(margin: number): number;
  slope(margin: number): number;
  curvature(margin: number): number;
}

/** max(0, 1 − margin)²: its second derivative jumps at 1, where the generalised one (0) is taken. */
export const squaredHinge: MarginLoss = {
  loss: (margin) => Math.max(0, 1 - margin) ** 2,
  slope: (margin) => -2 * Math.max(0, 1 - margin),
  curvature: (margin) => (margin < 1 ? 2 : 0),
};

/** log(1 + exp(−margin)), without overflow. */
export const logLoss: MarginLoss = {
  loss: (margin) => Math.log1p(Math.exp(-Math.abs(margin))) + Math.max(-margin, 0),
  slope(margin) {
    const small = Math.exp(-Math.abs(margin));
    return margin > 0 ? -small / (1 + small) : -1 / (1 + small);
  },
  curvature(margin) {
    const small = Math.exp(-Math.abs(margin));
    return small / (1 + small) ** 2;
  },
};

/** The loss of a column of two classes (label 1 = positive), over its training rows. */
export function binaryLoss(column: ProbeColumn, margin: MarginLoss): RowLoss {
  const { training, labels, weights } = column;
  const rows = [...training.included.keys()].filter((row) => training.included[row]);
  const each = (compute: (row: number, sign: number, weight: number) => void) => {
    for (const row of rows) compute(row, labels[row] ? 1 : -1, weights ? weights[row]! : 1);
  };
  return {
    columns: 1,
    at([scores]: ScoreColumns) {
      let sum = 0;
      each((row, sign, weight) => (sum += weight * margin.loss(sign * scores![row]!)));
      return sum;
    },
    slopes([scores]: ScoreColumns) {
      const slopes = new Float64Array(scores!.length);
      each((row, sign, weight) => (slopes[row] = weight * sign * margin.slope(sign * scores![row]!)));
      return [slopes];
    },
    curve([scores]: ScoreColumns) {
      const curvature = new Float64Array(scores!.length);
      let total = 0;
      each((row, sign, weight) => {
        curvature[row] = weight * margin.curvature(sign * scores![row]!);
        total += curvature[row];
      });
      return {
        totals: Float64Array.of(total),
        times: ([steps]) => [curvature.map((value, row) => value * steps![row]!)],
      };
    },
  };
}
