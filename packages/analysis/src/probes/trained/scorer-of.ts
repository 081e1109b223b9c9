import type { LinearScorerData, ScorerData } from "../../results/probe-scorer.ts";
import { distanceScorer } from "./distance-scorer.ts";
import { attentionScorer, mlpScorer } from "../nonlinear/nonlinear-scorers.ts";
import { linearScorer } from "./linear-scorer.ts";
import type { ProbeScorer } from "./scorer.ts";

/** The scorer of its data, of rows of `width` numbers; a text that says what is wrong when the data do not fit together. */
export function scorerOf(data: ScorerData, width: number): ProbeScorer | string {
  switch (data.kind) {
    case "linear":
      return linearFault(data, width) ?? linearScorer(data, width);
    case "distance":
      return distanceScorer(data, width);
    case "mlp":
      return mlpScorer(data, width);
    case "attention":
      return attentionScorer(data, width);
  }
}

function linearFault({ weights, bias }: LinearScorerData, width: number): string | undefined {
  if (bias.length !== weights.length) return `${weights.length} columns of weights and ${bias.length} biases`;
  const other = weights.find((column) => column.length !== width);
  return other && `weights of ${other.length} numbers for rows of ${width}`;
}
