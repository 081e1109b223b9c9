import type { AttentionScorerData, MlpScorerData } from "../../results/probe-scorer.ts";
import { linearScorer } from "../trained/linear-scorer.ts";
import type { ProbeScorer } from "../trained/scorer.ts";
import { attend } from "./attention-objective.ts";

/** A text when the data do not fit together. */
export function mlpScorer({ hidden, output }: MlpScorerData, width: number): ProbeScorer | string {
  const units = hidden.weights.length;
  const fault = faultOf(hidden, width, "hidden") ?? faultOf(output, units, "output");
  if (fault) return fault;
  const below = linearScorer({ kind: "linear", ...hidden }, width);
  const columns = output.weights.length;
  return {
    columns,
    weights: () => null,
    score(values) {
      const active = below.score(values).map((score) => Math.max(0, score));
      const rows = values.length / width;
      const scores = new Float64Array(rows * columns);
      for (let row = 0; row < rows; row++) {
        for (let k = 0; k < columns; k++) {
          let sum = output.bias[k]!;
          for (let h = 0; h < units; h++) sum += output.weights[k]![h]! * active[row * units + h]!;
          scores[row * columns + k] = sum;
        }
      }
      return scores;
    },
  };
}

/** A text when the data do not fit together. */
export function attentionScorer(data: AttentionScorerData, width: number): ProbeScorer | string {
  const heads = data.queries.length;
  const columns = data.bias.length;
  if (data.values.length !== heads * columns)
    return `${data.values.length} values of ${heads} heads and ${columns} columns`;
  const weights = [...data.queries, ...data.values];
  const bias = [...data.queries.map(() => 0), ...data.valueBias];
  const fault = faultOf({ weights, bias }, width, "attention");
  if (fault) return fault;
  const linear = linearScorer({ kind: "linear", weights, bias }, width);
  /** `[sequences, columns]` */
  const pool = (values: Float32Array, sequenceOf: ArrayLike<number>, sequences: number): Float64Array => {
    const rows = values.length / width;
    const read = linear.score(values);
    const pooled = new Float64Array(sequences * columns);
    for (let at = 0; at < pooled.length; at++) pooled[at] = data.bias[at % columns]!;
    for (let h = 0; h < heads; h++) {
      const logits = Float64Array.from({ length: rows }, (_, row) => read[row * weights.length + h]!);
      attend(logits, sequenceOf, sequences).forEach((share, row) => {
        for (let k = 0; k < columns; k++) {
          pooled[sequenceOf[row]! * columns + k]! +=
            share * read[row * weights.length + heads + h * columns + k]!;
        }
      });
    }
    return pooled;
  };
  return {
    columns,
    weights: () => null,
    score(values) {
      const rows = values.length / width;
      return pool(
        values,
        Uint32Array.from({ length: rows }, (_, row) => row),
        rows,
      );
    },
    sequence: (values) => pool(values, new Uint32Array(values.length / width), 1),
  };
}

function faultOf(
  { weights, bias }: { weights: readonly (readonly number[])[]; bias: readonly number[] },
  width: number,
  what: string,
): string | undefined {
  if (bias.length !== weights.length)
    return `${weights.length} ${what} columns of weights and ${bias.length} biases`;
  const other = weights.find((column) => column.length !== width);
  return other && `${what} weights of ${other.length} numbers for rows of ${width}`;
}
