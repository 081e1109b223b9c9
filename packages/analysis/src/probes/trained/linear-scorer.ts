import type { LinearScorerData } from "../../results/probe-scorer.ts";
import type { ProbeScorer } from "./scorer.ts";

/** The data of weights and biases, one of each a column. */
export function linearScorerData(
  weights: readonly ArrayLike<number>[],
  bias: ArrayLike<number>,
): LinearScorerData {
  // JSON has no −0.
  const plain = (numbers: ArrayLike<number>) => Array.from(numbers, (value) => value + 0);
  return { kind: "linear", weights: weights.map(plain), bias: plain(bias) };
}

/** `row · weights + bias` in each column, summed in float64 in the order of the features. */
export function linearScorer(data: LinearScorerData, width: number): ProbeScorer {
  const weights = data.weights.map((column) => Float64Array.from(column));
  const bias = Float64Array.from(data.bias);
  const columns = weights.length;
  return {
    columns,
    score(values) {
      const rows = values.length / width;
      const scores = new Float64Array(rows * columns);
      for (let row = 0; row < rows; row++) {
        for (let k = 0; k < columns; k++) {
          const own = weights[k]!;
          let sum = bias[k]!;
          for (let j = 0, at = row * width; j < width; j++, at++) sum += values[at]! * own[j]!;
          scores[row * columns + k] = sum;
        }
      }
      return scores;
    },
    weights: (column) => weights[column]!.slice(),
  };
}
