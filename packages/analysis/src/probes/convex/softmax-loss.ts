import type { RowLoss, ScoreColumns } from "./row-loss.ts";

/** Cross entropy of the softmax of each row's scores: log Σ exp(score) − the score of its class. `classOf` is `[rows]`. */
export function softmaxLoss(
  classOf: ArrayLike<number>,
  classes: number,
  weights: Float64Array | null = null,
): RowLoss {
  const rows = classOf.length;
  const weightOf = (row: number) => (weights ? weights[row]! : 1);
  const shares = (scores: ScoreColumns) => {
    const columns = scores.map(() => new Float64Array(rows));
    for (let row = 0; row < rows; row++) {
      const top = highest(scores, row);
      let sum = 0;
      for (let k = 0; k < classes; k++) sum += columns[k]![row] = Math.exp(scores[k]![row]! - top);
      for (let k = 0; k < classes; k++) columns[k]![row]! /= sum;
    }
    return columns;
  };
  return {
    columns: classes,
    at(scores) {
      let loss = 0;
      for (let row = 0; row < rows; row++) {
        const top = highest(scores, row);
        let sum = 0;
        for (let k = 0; k < classes; k++) sum += Math.exp(scores[k]![row]! - top);
        loss += weightOf(row) * (Math.log(sum) + top - scores[classOf[row]!]![row]!);
      }
      return loss;
    },
    slopes(scores) {
      return shares(scores).map((share, k) =>
        share.map((p, row) => weightOf(row) * (classOf[row] === k ? p - 1 : p)),
      );
    },
    curve(scores) {
      const share = shares(scores);
      return {
        totals: Float64Array.from(share, (column) =>
          column.reduce((sum, p, row) => sum + weightOf(row) * p * (1 - p), 0),
        ),
        times(steps) {
          const mean = new Float64Array(rows);
          steps.forEach((step, k) => step.forEach((value, row) => (mean[row]! += share[k]![row]! * value)));
          return steps.map((step, k) =>
            step.map((value, row) => weightOf(row) * share[k]![row]! * (value - mean[row]!)),
          );
        },
      };
    },
  };
}

function highest(scores: ScoreColumns, row: number): number {
  let top = -Infinity;
  for (const column of scores) top = Math.max(top, column[row]!);
  return top;
}
