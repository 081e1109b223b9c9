import type { ProbeColumn } from "../probe.ts";

/** Weights of losses under which both classes of the training rows weigh the same: rows / (2 · rows of the class), times the column's own. */
export function balancedWeights({ training, labels, weights }: ProbeColumn): Float64Array {
  const totals = [0, 0];
  training.included.forEach((inside, row) => {
    if (inside) totals[labels[row] ? 1 : 0]! += weights ? weights[row]! : 1;
  });
  const all = totals[0]! + totals[1]!;
  return Float64Array.from({ length: labels.length }, (_, row) => {
    const own = weights ? weights[row]! : 1;
    return (own * all) / (2 * totals[labels[row] ? 1 : 0]!);
  });
}
