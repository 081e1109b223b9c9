import type { ScorerData } from "../../results/probe-scorer.ts";
import { linearScorer } from "./linear-scorer.ts";
import type { ProbeScorer } from "./scorer.ts";

/** The scorer of its data, of rows of `width` numbers; a text that says what is wrong when the data do not fit together. */
export function scorerOf(data: ScorerData, width: number): ProbeScorer | string {
  if (data.bias.length !== data.weights.length)
    return `${data.weights.length} columns of weights and ${data.bias.length} biases`;
  const other = data.weights.find((column) => column.length !== width);
  if (other) return `weights of ${other.length} numbers for rows of ${width}`;
  return linearScorer(data, width);
}
